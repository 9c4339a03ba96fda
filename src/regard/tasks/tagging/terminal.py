"""Tagged sentences in the terminal: words above their tags, line by line."""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.text import Text

from regard.lens.words import printable

from .sample import TaggedText

COLOURS = ("cyan", "green", "yellow", "magenta", "blue", "red", "bright_cyan", "bright_green")
SURE = 0.5
"""Below it a tag is faint."""
MOST = 5
"""Words that one looked at, at most, behind its tag."""
HEAVY = 0.2
"""Weight from which on a look is told."""


def drawn(sample: TaggedText) -> RenderableType:
    """Words above their tags, and below them who looked at whom."""
    lines = TwoRows(sample)
    looks = list(_looks(sample))
    return Group(lines, *looks) if looks else lines


@dataclass(frozen=True)
class TwoRows:
    """Columns of a word and its tag, as many in a line as there is room for."""

    sample: TaggedText

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        above, below, width = Text(), Text(), 0
        one = self.sample
        yield Text()
        for word, tag, sure in zip(one.words, one.tags, one.probabilities, strict=True):
            shown = printable(word)
            size = max(cell_len(shown), cell_len(tag)) + 1
            if width and width + size > options.max_width:
                yield above
                yield below
                yield Text()
                above, below, width = Text(), Text(), 0
            above.append(shown + " " * (size - cell_len(shown)), "bold")
            colour = COLOURS[one.known_tags.index(tag) % len(COLOURS)]
            below.append(tag, colour if sure >= SURE else f"dim {colour}")
            below.append(" " * (size - cell_len(tag)))
            width += size
        yield above
        yield below


def _looks(sample: TaggedText) -> Iterator[Text]:
    """An arc from each tag to the words it looked at most."""
    if sample.weights is None:
        return
    yield Text()
    for word, tag, row in zip(sample.words, sample.tags, sample.weights.tolist(), strict=True):
        order = sorted(range(len(row)), key=lambda n: -row[n])[:MOST]
        told = [
            f"{printable(sample.words[n])} {100 * row[n]:.0f} %" for n in order if row[n] >= HEAVY
        ]
        if told:
            yield Text(f"{printable(word)} {tag} ← {', '.join(told)}", style="dim")
