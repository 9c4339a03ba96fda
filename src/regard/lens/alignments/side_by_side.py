"""Several alignments in the terminal: side by side as far as they fit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from regard.errors import ShapeError

from .drawing import Drawing
from .headings import headings
from .view import AlignmentView
from .words import bidi_isolate

GAP = 3
"""Letters between two maps."""


def beside(views: Sequence[AlignmentView]) -> RenderableType:
    """All views for :mod:`rich`: as many in a row as the terminal is wide, then the next row.

    A model that all views are by is named once above them.

    Args:
        views: at least one: one sentence in several models, or several heads of one.

    Raises:
        ShapeError: no view.
    """
    if not views:
        raise ShapeError("a drawing of alignments needs at least one view, got none")
    return Beside(tuple(views))


@dataclass(frozen=True)
class Block:
    """One drawing, line by line."""

    lines: list[list[Segment]]

    @property
    def width(self) -> int:
        """Letters of its longest line."""
        return max(map(Segment.get_line_length, self.lines))


@dataclass(frozen=True)
class Beside:
    """Drawings that find their places once the terminal is known."""

    views: tuple[AlignmentView, ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        above = headings(self.views)
        if above.model:
            yield from console.render(Text(bidi_isolate(above.model), "dim"), options)
        blocks = [
            _block(Drawing(view, title=title), console, options)
            for view, title in zip(self.views, above.views, strict=True)
        ]
        for number, row in enumerate(_rows(blocks, options.max_width)):
            if number:
                yield Segment.line()
            yield from _join(row)


def _block(drawing: Drawing, console: Console, options: ConsoleOptions) -> Block:
    found = console.render_lines(drawing, options.update(height=None), pad=False)
    return Block([list(Segment.simplify(line)) for line in found])


def _rows(blocks: Sequence[Block], width: int) -> Iterator[list[Block]]:
    row: list[Block] = []
    for block in blocks:
        if row and sum(one.width + GAP for one in row) + block.width > width:
            yield row
            row = []
        row.append(block)
    yield row


def _join(row: Sequence[Block]) -> Iterator[Segment]:
    """The lines of all blocks next to each other; short blocks are filled up."""
    for number in range(max(len(block.lines) for block in row)):
        for place, block in enumerate(row):
            line = block.lines[number] if number < len(block.lines) else []
            last = place == len(row) - 1
            yield from line if last else Segment.adjust_line_length(line, block.width + GAP)
        yield Segment.line()
