"""``regard translate``: text to text."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ..errors import ChoiceError
from ..tasks.search import SearchConfig
from .computing import SEARCH, WORDS, PaceOptions, SearchOptions, WordOptions
from .flags import Several, Switch

if TYPE_CHECKING:
    from regard.tasks.translation.predictor import Translator
    from regard.tasks.translation.sample import Translation


def translate(
    *texts: str,
    model: str | None = None,
    file: Path | None = None,
    alignments: Switch = False,
    show: Switch = False,
    picture: Path | None = None,
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
    raw: Switch = False,
    together: Annotated[tuple[str, ...], Several, Parameter(name="--with")] = (),
    n_best: Annotated[int | None, Parameter(group=SEARCH)] = None,
    search: SearchOptions = None,
    begin_with: Annotated[str, Parameter(group=WORDS)] = "",
    words: WordOptions | None = None,
    pace: PaceOptions | None = None,
) -> None:
    """Translate text, a file or the standard input, line by line: as many lines out as in.

    A blank line stays blank. What is no UTF-8 is read as U+FFFD. A line of more than 1,024 tokens
    is translated as far as these go, and stderr says so. With --n-best above 1 there is a line for
    every translation: number of the source, score and text between tabs.

    Args:
        texts: What to translate, a line each; stdin if neither this nor --file is given.
        model: The folder of a run or of a checkpoint, or a name of the zoo.
        file: A file of lines to translate.
        alignments: Print which words belong together behind each translation, after a tab: 0-0 1-2.
        show: Draw on stderr where each word came from.
        picture: Draw it into a file ending in .png, .svg or .html; for one sentence.
        as_json: Print a JSON object per line: words, tokens, scores, alignment, weights.
        raw: Read every line as it is: no cutting into sentences, no help with capitals, names,
            numbers and what is no word.
        together: Other models of the same vocabularies that write with it: an ensemble.
        n_best: Translations of every line.
        search: How to search.
        begin_with: What every translation begins with; lines are read as they are, as by --raw.
        words: What may be written.
        pace: Where to compute, and how much at once.
    """
    from .console import speak_utf8
    from .files import require_end
    from .models import name_of
    from .output import Output

    search, pace = search or SearchConfig(), pace or PaceOptions()
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
    batch, device = pace.limit(), pace.start()
    writes = _writer(model, together, device)
    if raw or begin_with:
        writes.typing = None
    target = writes.vocabularies.target
    allowed = (words or WordOptions()).processors(
        target, target.encode, ends=(target.eos,), prefix=begin_with
    )

    def answers(group: list[str]) -> "Iterator[tuple[Translation, ...]]":
        return writes.answers(
            group,
            strategy=strategy,
            limits=search.limits(),
            batch=batch,
            processors=allowed,
            aligned=output.wants_weights,
        )

    for number, found in enumerate(_flushed(lines, answers), start=1):
        output.write(number, found)


def _lines(
    texts: tuple[str, ...], file: Path | None, pace: PaceOptions, *, one: bool
) -> Iterator[list[str]]:
    """Lines to translate in groups; other than one are refused where there must be ``one``."""
    from .console import groups

    found = groups(texts, file, pace.limit().ahead)
    if not one:
        return found
    lines = [line for group in found for line in group]
    if len(lines) != 1:
        raise ChoiceError(f"--picture is for one sentence, got {len(lines)}")
    return iter([lines])


def translator(name: str | None, device: str) -> "Translator":
    """The translator in a folder, or one of the zoo by its name; the usual one without a name.

    Raises:
        ChoiceError: neither a folder nor a name, or it was not trained to translate.
    """
    from ..tasks.translation.predictor import load_translator
    from .models import folder_of

    return load_translator(folder_of(name), device=device)


def _writer(model: str | None, others: tuple[str, ...], device: str) -> "Translator":
    """A translator, alone or with others."""
    found = translator(model, device)
    return found.together(*(translator(one, device) for one in others)) if others else found


def _flushed(
    groups: Iterator[list[str]], answers: "Callable[[list[str]], Iterator[tuple[Translation, ...]]]"
) -> "Iterator[tuple[Translation, ...]]":
    """The translations of every line; what was printed is flushed before more is waited for."""
    for group in groups:
        yield from answers(group)
        sys.stdout.flush()
