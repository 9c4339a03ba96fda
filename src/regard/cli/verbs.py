"""One maker for the verbs of tasks: text in, samples out, whatever the model does with it.

A verb is a few lines: ``tag = verb("tag", tasks=("tagging",), usual="en-tagger", about=…)``.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ..errors import ChoiceError, InputError
from .computing import ComputeOptions
from .flags import Switch

if TYPE_CHECKING:
    from ..lens.alignments import AlignmentView
    from ..lens.pictures import PictureView

AHEAD = 1024
"""Texts that are read at most before the first of them is answered."""

PICTURES = (".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp")
"""How names of pictures end, by which one is told from a text."""
ARGUMENTS = """

    Args:
        texts: {inputs}, one each; lines of stdin if neither this nor --file is given.
        model: The folder of a run or of a checkpoint, or a name of the zoo; {usual} if not given.
        file: A file of lines.
        show: Draw on stderr what is behind each answer.
        out: Draw it into a file ending in .png, .svg or .html; for one text, or for pictures.
        as_json: Print a JSON object per text.
        pace: Where to compute.
"""


def verb(
    name: str, *, tasks: Sequence[str], usual: str, about: str, inputs: str = "Texts"
) -> Callable[..., None]:
    """A command that reads texts and tells what a model says of each, a line for a line.

    Args:
        name: of the command.
        tasks: kinds of those whose models can do it.
        usual: which model of the zoo does it unless another is named.
        about: what it does, for its help page; the first line is a sentence.
        inputs: what the texts are called there.
    """

    def command(
        *texts: str,
        model: str | None = None,
        file: Path | None = None,
        show: Switch = False,
        out: Path | None = None,
        as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
        pace: ComputeOptions | None = None,
    ) -> None:
        from .console import speak_utf8
        from .files import require_end

        if out is not None:
            require_end(out, "--out")
        device = (pace or ComputeOptions()).start()
        speak_utf8()
        looks = show or out is not None or as_json
        predictor = predictor_for(model or usual, tasks, verb=name, device=device)
        paths = getattr(predictor, "reads", "text") == "pictures"
        if not paths:
            _require_no_picture(texts, model or usual)
        lines = _lines(texts, file, one=out is not None and not paths, paths=paths)
        drawn: list[Any] = []
        for number, sample in enumerate(_samples(predictor, lines, looks), start=1):
            _warn(number, sample)
            print(json.dumps(sample.to_json(), ensure_ascii=False) if as_json else sample)
            if show:
                _show(sample)
            drawn += [sample] if out is not None else []
        if out is not None:
            draw(out, drawn, model or usual)

    command.__name__ = command.__qualname__ = name
    command.__doc__ = about.strip() + ARGUMENTS.format(inputs=inputs, usual=usual)
    return command


def predictor_for(name: str, tasks: Sequence[str], *, verb: str, device: str) -> Any:
    """The predictor of a model that was trained for one of some tasks.

    Raises:
        ChoiceError: neither a folder nor a name, or it was trained for something else.
    """
    from ..storage.run_folder import read_best
    from ..storage.stored_model import read_model
    from .models import folder_of

    found = read_best(folder_of(name), read_model)
    kind = found.task["kind"]
    if kind not in tasks:
        raise ChoiceError(
            f"{verb} needs a model that was trained for {' or '.join(tasks)}, and {name} was "
            f"trained for {kind}; train one by: regard train {tasks[0]}"
        )
    return found.predictor(device)


def draw(path: Path, samples: Iterable[Any], model: str) -> None:
    """Draw the views of samples into a file.

    Raises:
        InputError: there is nothing to draw, or the file cannot be written.
    """
    from dataclasses import replace

    from .output import write_picture

    views: list[AlignmentView | PictureView] = [view for one in samples for view in one.views()]
    if not views:
        raise InputError(
            "--out needs words and a model that looks at them, got nothing to draw: a model with "
            "attention shows where it looked"
        )
    write_picture(path, [replace(view, model=model) for view in views])


def _require_no_picture(texts: tuple[str, ...], model: str) -> None:
    for text in texts:
        if text.lower().endswith(PICTURES) and Path(text).is_file():
            raise ChoiceError(
                f"{text} is a picture, and {model} reads text: name a model that reads pictures "
                "by --model"
            )


def _lines(
    texts: tuple[str, ...], file: Path | None, *, one: bool, paths: bool
) -> Iterator[list[str]]:
    """Texts, or names of files, in groups; other than one are refused where it must be ``one``."""
    from .console import groups

    named = paths and bool(texts) and file is None
    found = iter([list(texts)]) if named else groups(texts, file, AHEAD)
    if not one:
        return found
    every = [line for group in found for line in group]
    if len(every) != 1:
        raise ChoiceError(f"--out is for one text, got {len(every)}")
    return iter([every])


def _samples(predictor: Any, groups: Iterator[list[str]], looks: bool) -> Iterator[Any]:
    """A sample of every line; what was printed is flushed before more is waited for."""
    for group in groups:
        yield from predictor.predict(group, looks=looks)
        sys.stdout.flush()


def _warn(number: int, sample: Any) -> None:
    """What a reader should know of an answer before it is trusted."""
    cut = getattr(sample, "cut", 0)
    words, unknown = getattr(sample, "words", ()), getattr(sample, "unknown", 0)
    if cut:
        print(f"line {number}: too long, its last {cut:,} tokens were not read", file=sys.stderr)
    if words and unknown == len(words):
        print(f"line {number}: the model knows none of its words", file=sys.stderr)


def _show(sample: Any) -> None:
    from .console import plain

    sys.stdout.flush()
    shown = sample
    if hasattr(sample, "drawn"):  # a picture: with true pixels, where the terminal knows how
        from ..lens.pictures import protocol_of

        shown = sample.drawn(protocol_of())
    plain(stderr=True).print(shown)
