"""Alignments in the terminal: maps of cells with a word for every row and column."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.segment import Segment
from rich.style import StyleType
from rich.text import Text

from regard.errors import ShapeError

from ..words import bidi_isolate
from .bands import Band, Blocks, bands, cell_style, fit
from .view import AlignmentView, headings, view_name

LEADER = "dim"


@dataclass(frozen=True)
class Pen:
    """Writes words and cells the way one terminal can show them.

    Args:
        largest: the weight of the strongest colour.
        blocks: letters for cells, or None where they are painted.
        lines: what leads from a heading to its column: the stem and its hook.
    """

    largest: float
    blocks: Blocks | None
    lines: tuple[str, str] = ("│", "╭")

    def band(self, band: Band) -> Iterator[Text]:
        """Headings, then a line per target word."""
        yield from self._steps(band) if band.headings == "steps" else [self._heading(band)]
        for label, row in zip(band.labels, band.rows, strict=True):
            gap = " " * (band.margin - cell_len(label) - 1)
            cells = (self._cell(weight, band.cell) for weight in row)
            drawn = line((f"{gap}{bidi_isolate(label)} ", ""), *cells)
            if self.blocks is not None:
                drawn.rstrip()
            yield drawn

    def _heading(self, band: Band) -> Text:
        words = ((_centre(word, band.cell), "") for word in band.columns)
        heading = line((self._corner(band), LEADER), *words)
        heading.rstrip()
        return heading

    def _corner(self, band: Band) -> str:
        """What stands above the target words: the unit, where there are numbers."""
        return ("% " if self.blocks is None else "").rjust(band.margin)

    def _steps(self, band: Band) -> Iterator[Text]:
        stem, hook = self.lines
        for step, word in enumerate(band.columns):
            stems = (stem + " " * (band.cell - 1)) * step
            last = step == len(band.columns) - 1
            start = self._corner(band) if last else " " * band.margin
            start += " " * ((band.cell - 1) // 2)
            yield line((start + stems + hook, LEADER), (f" {bidi_isolate(word)}", ""))

    def _cell(self, weight: float, width: int) -> tuple[str, StyleType]:
        share = weight / self.largest
        if self.blocks is not None:
            return self.blocks.cell(share, width), ""
        return _centre(_percent(weight), width), cell_style(share)


def line(*parts: tuple[str, StyleType]) -> Text:
    """One line that is never wrapped."""
    return Text.assemble(*parts, no_wrap=True, overflow="crop")


def _percent(weight: float) -> str:
    """Nothing below half a per cent."""
    return f"{100 * weight:.0f}" if weight >= 0.005 else ""


def _centre(word: str, width: int) -> str:
    spare = width - cell_len(word)
    return " " * (spare // 2) + word + " " * (spare - spare // 2)


Shading = Literal["auto", "colour", "blocks"]


def terminal(
    view: AlignmentView, *, width: int | None = None, shading: Shading = "auto"
) -> RenderableType:
    """The alignment for :mod:`rich`: ``Console().print(terminal(view))``.

    Source words stand above, in one line where they fit, on steps where they do not; a sentence
    wider than the terminal is cut into bands of columns. Columns are in the order of the sentence
    from the left, whatever its script; what lies on its end is the last. Numbers in the cells are
    per cent.

    Args:
        view: what is drawn.
        width: how many columns of letters; as wide as the terminal if not given.
        shading: painted cells, blocks of ``·░▒▓█``, or whichever the terminal can show. Blocks are
            taken where there are fewer than 256 colours and where ``NO_COLOR`` is set.
    """
    return Drawing(view, width, shading)


@dataclass(frozen=True)
class Drawing:
    """An alignment that is drawn once the terminal is known."""

    view: AlignmentView
    width: int | None = None
    shading: Shading = "auto"
    title: str | None = None
    """The line above; of model and title of the view if not given."""

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        width = self.width or options.max_width
        return Measurement(min(width, 20), width)

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        width = self.width or options.max_width
        encoding = "ascii" if options.ascii_only else "utf-8"
        if title := self._title():
            title = title.encode(encoding, "replace").decode(encoding)
            yield line((bidi_isolate(fit(title, width)), "bold"))
        pen = self._pen(console, options)
        for number, band in enumerate(bands(self.view, width, encoding)):
            if number:
                yield Text()
            yield from pen.band(band)

    def _title(self) -> str:
        return view_name(self.view.model, self.view.title) if self.title is None else self.title

    def _pen(self, console: Console, options: ConsoleOptions) -> Pen:
        if self._has_colours(console):
            blocks = None
        else:
            blocks = Blocks(" .-+#", ".") if options.ascii_only else Blocks()
        lines = ("|", ".") if options.ascii_only else ("│", "╭")
        return Pen(self.view.largest, blocks, lines)

    def _has_colours(self, console: Console) -> bool:
        if self.shading != "auto":
            return self.shading == "colour"
        return console.color_system in ("256", "truecolor") and not console.no_color


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
