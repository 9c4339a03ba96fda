"""``regard translate``: text to text."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ..errors import ChoiceError
from .flags import Switch
from .translation.options import SEARCH, PaceOptions, SearchOptions

if TYPE_CHECKING:
    from regard.tasks.translation.sample import Translation

    from ..decoding import Limits
    from ..decoding.search import Strategy


def translate(
    *texts: str,
    model: str | None = None,
    file: Path | None = None,
    alignments: Switch = False,
    show: Switch = False,
    picture: Path | None = None,
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
    n_best: Annotated[int | None, Parameter(group=SEARCH)] = None,
    search: SearchOptions | None = None,
    pace: PaceOptions | None = None,
) -> None:
    """Translate text, a file or the standard input, line by line: as many lines out as in.

    A blank line stays blank. What is no UTF-8 is read as U+FFFD. A line of more than 1,024 tokens
    is translated as far as these go, and stderr says so. With --n-best above 1 there is a line for
    every translation: number of the source, score and text between tabs.

    Args:
        texts: What to translate, a line each; stdin if neither this nor --file is given.
        model: The folder of a run or of a checkpoint, or the name of a bundled translator.
        file: A file of lines to translate.
        alignments: Print which words belong together behind each translation, after a tab: 0-0 1-2.
        show: Draw on stderr where each word came from.
        picture: Draw it into a file ending in .png, .svg or .html; for one sentence.
        as_json: Print a JSON object per line: words, tokens, scores, alignment, weights.
        n_best: Translations of every line.
        search: How to search.
        pace: Where to compute, and how much at once.
    """
    from .models import name_of
    from .translation.output import Output, require_end, speak_utf8

    search, pace = search or SearchOptions(), pace or PaceOptions()
    if picture is not None:
        require_end(picture, "--picture")
    output = Output(
        alignments=alignments,
        show=show,
        picture=picture,
        as_json=as_json,
        several=(n_best or 1) > 1,
        model=name_of(model),
    )
    speak_utf8()
    lines = _lines(texts, file, pace, one=picture is not None)
    strategy = search.strategy(n_best)
    answers = _answers(lines, model, strategy, search.limits(), pace, aligned=output.wants_weights)
    for number, found in enumerate(answers, start=1):
        output.write(number, found)


def _lines(
    texts: tuple[str, ...], file: Path | None, pace: PaceOptions, *, one: bool
) -> Iterator[list[str]]:
    """Lines to translate in groups; other than one are refused where there must be ``one``."""
    from .translation.lines import groups

    found = groups(texts, file, pace.limit().ahead)
    if not one:
        return found
    lines = [line for group in found for line in group]
    if len(lines) != 1:
        raise ChoiceError(f"--picture is for one sentence, got {len(lines)}")
    return iter([lines])


def _answers(
    groups: Iterator[list[str]],
    model: str | None,
    strategy: "Strategy",
    limits: "Limits",
    pace: PaceOptions,
    *,
    aligned: bool,
) -> "Iterator[tuple[Translation, ...]]":
    """The translations of every line; what was printed is flushed before more is waited for."""
    from .models import translator

    batch, device = pace.limit(), pace.start()
    translates = translator(model, device)
    for group in groups:
        yield from translates.answers(
            group, strategy=strategy, limits=limits, batch=batch, aligned=aligned
        )
        sys.stdout.flush()
