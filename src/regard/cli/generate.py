"""``regard generate``: text that goes on."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Group, Parameter

from ..errors import ChoiceError, InputError
from ..tasks.search import fitted
from .computing import ComputeOptions, WordOptions
from .flags import Options, Several, Switch

if TYPE_CHECKING:
    from regard.tasks.text_generation.predictor import Generator
    from regard.tasks.text_generation.sample import Generated

USUAL = "en-gpt"
CHOICE = Group("Choice of tokens", sort_key=1)
SAMPLE = ("temperature", "top_k", "top_p", "min_p", "typical_p", "seed")
BEAM = ("length_penalty", "length_normalisation")


@Parameter(name="*", group=CHOICE)
@dataclass(frozen=True, kw_only=True)
class ChoiceOptions(Options):
    """How tokens are chosen."""

    temperature: float | None = None
    """Below 1 likely tokens become likelier; 0 takes the likeliest each time. 0.8 if not given."""
    top_k: int | None = None
    """Tokens that can be drawn; 40 if not given."""
    top_p: float | None = None
    """Only the likeliest tokens of this probability can be drawn."""
    min_p: float | None = None
    """Only tokens that are so many times as likely as the likeliest can be drawn."""
    typical_p: float | None = None
    """Only the most typical tokens of this probability can be drawn."""
    seed: int | None = None
    """Another one draws something else."""
    beam: int | None = None
    """Nothing is drawn: so many beginnings go on in every step, and the likeliest text is told."""
    length_penalty: float | None = None
    """Of a beam: the power alpha; more likes longer texts."""
    length_normalisation: Literal["gnmt", "length"] | None = None
    """Of a beam: what it is a power of, GNMT's (5 + |Y|) / 6, which is usual, or the length |Y|."""

    def strategy(self) -> Any:
        """Greedy, sampling or a beam.

        Raises:
            ChoiceError: values that do not fit, or that belong to another one.
        """
        from ..decoding import Beam, Greedy, Sample

        said = self.given()
        drawn = {name: said[name] for name in SAMPLE if name in said}
        beamed = {name: said[name] for name in BEAM if name in said}
        if self.beam is not None:
            if drawn:
                raise ChoiceError(f"with --beam nothing is drawn: leave out {_options(drawn)}")
            return fitted(Beam, size=self.beam, **beamed)
        if beamed:
            raise ChoiceError(f"without --beam there is no use for {_options(beamed)}")
        if drawn.get("temperature") == 0:
            return Greedy()
        return fitted(Sample, **{"temperature": 0.8, "top_k": 40, **drawn})


def generate(
    *prompts: str,
    model: str | None = None,
    file: Path | None = None,
    together: Annotated[tuple[str, ...], Several, Parameter(name="--with")] = (),
    max_tokens: int = 100,
    min_tokens: int = 0,
    end: tuple[str, ...] = (),
    forced_end: Switch = False,
    several: Annotated[int, Parameter(name="--number")] = 1,
    show: Switch = False,
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
    out: Path | None = None,
    choice: ChoiceOptions | None = None,
    words: WordOptions | None = None,
    pace: ComputeOptions | None = None,
) -> None:
    """Go on with a text, which appears as it is written.

    A prompt that is longer than the model's context is read from its end, and stderr says so; where
    the text outgrows the context, the model goes on from the last half of it.

    Args:
        prompts: Beginnings, a text for each; all of --file or stdin, if none is given.
        model: The folder of a run or of a checkpoint, or a name of the zoo; en-gpt if not given.
        file: A file whose text is the beginning.
        together: Other models of the same vocabulary that write with it: an ensemble.
        max_tokens: Tokens of a continuation at most.
        min_tokens: Tokens that are written before it may end.
        end: Tokens that end it, e.g. --end "." or --end "\\n" for a new line.
        forced_end: Let it end with one of these where the model has written none.
        several: Texts for every prompt, each drawn with the next seed.
        show: Draw on stderr where the heads looked in the prompt.
        as_json: Print a JSON object for each prompt: text, tokens and their log-probabilities.
        out: Draw all heads into a file ending in .png, .svg or .html; for one prompt.
        choice: How tokens are chosen.
        words: What may be written.
        pace: Where to compute.
    """
    from .console import speak_utf8
    from .files import require_end

    if out is not None:
        require_end(out, "--out")
    if max_tokens < 1:
        raise ChoiceError(f"--max-tokens needs at least 1, got {max_tokens}")
    if forced_end and not end:
        raise ChoiceError("--forced-end needs --end, which says what ends a text")
    strategies = _strategies((choice or ChoiceOptions()).strategy(), several)
    device = (pace or ComputeOptions()).start()
    speak_utf8()
    texts = list(_prompts(prompts, file))
    if out is not None and len(texts) * several != 1:
        raise ChoiceError(f"--out is for one text, got {len(texts) * several}")
    generator = _generators((model or USUAL, *together), device)
    ends = tuple(one.replace("\\n", "\n") for one in end)
    said: dict[str, Any] = {
        "max_tokens": max_tokens,
        "min_tokens": min_tokens,
        "processors": (words or WordOptions()).processors(
            generator.codec.tokeniser,
            lambda text: generator.codec.encode(text).tolist(),
            ends=generator.ends_of(ends),
        ),
        "ends": ends,
        "forced_end": forced_end,
    }
    for text, strategy in product(texts, strategies):
        said["strategy"] = strategy
        if as_json or show or out is not None:
            _told(generator(text, looks=show or out is not None, **said), as_json, show, out)
        else:
            _streamed(generator, text, said)


def _strategies(first: Any, several: int) -> list[Any]:
    """One for each text of a prompt, with seeds that follow each other."""
    from ..decoding import Sample

    if several == 1:
        return [first]
    if several < 1 or not isinstance(first, Sample):
        raise ChoiceError(
            f"--number needs at least 1 and texts that are drawn, got {several} and "
            f"{type(first).__name__.lower()}"
        )
    return [first.model_copy(update={"seed": first.seed + more}) for more in range(several)]


def _streamed(generator: "Generator", text: str, said: dict[str, Any]) -> None:
    """The prompt, and what comes behind it as it comes; a beam tells all of it at its end."""
    if said["strategy"].rows != 1:
        _told(generator(text, **said), False, False, None)
        return
    _warn(generator.too_long(text))
    print(text, end="", flush=True)
    for piece in generator.stream(text, **said):
        print(piece, end="", flush=True)
    print(flush=True)


def _warn(cut: int) -> None:
    if cut:
        print(
            f"the prompt is longer than the model's context: its first {cut:,} tokens were not "
            "read",
            file=sys.stderr,
        )


def _told(found: "Generated", as_json: bool, show: bool, out: Path | None) -> None:
    from .console import plain

    _warn(found.cut)
    if as_json:
        print(json.dumps(found.to_json(), ensure_ascii=False))
    else:
        print(found.text)
    if show:
        if found.looks is None:
            print("this model has no heads to show", file=sys.stderr)
        else:
            plain(stderr=True).print(found)
    if out is not None:
        from .output import write_picture

        write_picture(out, list(found.views()))


def _prompts(texts: tuple[str, ...], file: Path | None) -> Iterator[str]:
    """The prompts, or all of a file or of the standard input as one."""
    if texts and file is not None:
        raise InputError("generate needs a prompt or --file, got both")
    if texts:
        yield from texts
        return
    try:
        if file is not None:
            yield file.read_bytes().decode(errors="replace").removesuffix("\n")
        elif sys.stdin is None:
            raise InputError("generate needs a prompt, --file or text on stdin, which is closed")
        else:
            yield sys.stdin.buffer.read().decode(errors="replace").removesuffix("\n")
    except OSError as error:
        raise InputError(f"{file}: cannot be read, {error.strerror or error}") from None


def _generators(names: tuple[str, ...], device: str) -> "Generator":
    """A language model, alone or with others."""
    from .verbs import predictor_for

    first, *others = (
        predictor_for(name, ("text-generation",), verb="generate", device=device) for name in names
    )
    found: Generator = first.together(*others) if others else first
    return found


def _options(names: dict[str, Any]) -> str:
    return ", ".join(f"--{name.replace('_', '-')}" for name in names)
