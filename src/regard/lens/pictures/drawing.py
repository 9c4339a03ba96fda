"""Pictures in the terminal: two pixels in every letter, or true pixels where it can show them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions
from rich.segment import ControlType, Segment
from rich.style import Style

from regard.errors import ShapeError

from ..words import bidi_isolate, printable
from .graphics import Protocol, encoded
from .layers import drawn
from .view import Panel, PictureView, Pixels

WIDEST, TALLEST = 48, 40
"""Letters across and down of a panel at most."""
NARROWEST, FEW = {"few": 36, "many": 24}, 4
"""Letters across at least where several stand side by side, and how many panels are a few."""
GAP = 2
UPPER = "▀"
GREYS, ASCII_GREYS = " ░▒▓█", " .:-=+*#%@"
"""Letters from dark to light, for terminals without colours."""
CELL = (10, 20)
"""Pixels of a letter where true pixels are shown."""
Shading = Literal["auto", "colour", "letters"]


def terminal(
    views: Sequence[PictureView],
    *,
    width: int | None = None,
    shading: Shading = "auto",
    protocol: Protocol | None = None,
) -> "Drawing":
    """Views for :mod:`rich`: ``Console().print(terminal([view]))``.

    Every panel keeps the proportions of its picture, a letter being twice as high as wide; as many
    stand side by side as the terminal is wide.

    Args:
        views: at least one.
        width: how many columns of letters; as wide as the terminal if not given.
        shading: half blocks in colours, letters of grey, or whichever the terminal can show.
        protocol: draw true pixels, which :func:`~regard.lens.pictures.protocol_of` finds out.

    Raises:
        ShapeError: no view.
    """
    if not views:
        raise ShapeError("a drawing of pictures needs at least one view, got none")
    return Drawing(tuple(views), width, shading, protocol)


@dataclass(frozen=True)
class Drawing:
    """Pictures that are drawn once the terminal is known."""

    views: tuple[PictureView, ...]
    width: int | None = None
    shading: Shading = "auto"
    protocol: Protocol | None = None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        width = self.width or options.max_width
        letters = _letters(console, options, self.shading)
        for view in self.views:
            heading = ": ".join(printable(part) for part in (view.model, view.title) if part)
            if heading:
                yield from _line(bidi_isolate(heading), width, options, Style(bold=True))
            for row in _rows(view, width):
                yield from self._row(row, letters, options)

    def _row(
        self, row: "Sequence[Cut]", letters: str | None, options: ConsoleOptions
    ) -> Iterator[Segment]:
        if any(cut.panel.title for cut in row):
            told = (printable(cut.panel.title) if cut.panel.title else "" for cut in row)
            titles = (set_cell_size(one, cut.width) for one, cut in zip(told, row, strict=True))
            yield from _line((" " * GAP).join(titles), 10**6, options, Style(dim=True))
        if self.protocol is not None:
            yield from _graphics(row, self.protocol)
            return
        blocks = [list(_block(cut, letters)) for cut in row]
        for line in range(max(map(len, blocks))):
            for number, (cut, block) in enumerate(zip(row, blocks, strict=True)):
                if number:
                    yield Segment(" " * GAP)
                yield from block[line] if line < len(block) else [Segment(" " * cut.width)]
            yield Segment.line()


@dataclass(frozen=True)
class Cut:
    """A panel and the room it takes, in letters."""

    view: PictureView
    panel: Panel
    width: int
    height: int

    def pixels(self, across: int, down: int) -> Pixels:
        """It with so many pixels in every letter."""
        return drawn(self.view, self.panel, (self.width * across, self.height * down))


def _rows(view: PictureView, width: int) -> Iterator[list[Cut]]:
    """Panels in rows that fit."""
    row: list[Cut] = []
    for panel in view.panels:
        cut = _cut(view, panel, width)
        if row and sum(one.width + GAP for one in row) + cut.width > width:
            yield row
            row = []
        row.append(cut)
    yield row


def _cut(view: PictureView, panel: Panel, width: int) -> Cut:
    """As large as there is room; bars are half as high as a picture is wide."""
    wide, high = (4, 1) if panel.bars is not None else view.proportions
    across = min(WIDEST, width, _share(len(view.panels), width))
    down = across * high / wide / 2
    if down > TALLEST:
        across, down = max(1, round(TALLEST * 2 * wide / high)), TALLEST
    return Cut(view, panel, across, max(1, round(down)))


def _share(panels: int, width: int) -> int:
    """Letters across of each, so that as many stand side by side as can be made out."""
    least = NARROWEST["few" if panels <= FEW else "many"]
    beside = max(1, min(panels, (width + GAP) // (least + GAP)))
    return (width + GAP) // beside - GAP


def _block(cut: Cut, letters: str | None) -> Iterator[list[Segment]]:
    """The lines of a panel."""
    pixels = cut.pixels(1, 2)
    for upper, lower in zip(pixels[::2], pixels[1::2], strict=True):
        if letters is None:
            yield [
                Segment(UPPER, Style(color=_rgb(above), bgcolor=_rgb(below)))
                for above, below in zip(upper.tolist(), lower.tolist(), strict=True)
            ]
        else:
            light = (upper.mean(axis=-1) + lower.mean(axis=-1)) / 510
            text = "".join(letters[min(int(x * len(letters)), len(letters) - 1)] for x in light)
            yield [Segment(text)]


def _graphics(row: Sequence[Cut], protocol: Protocol) -> Iterator[Segment]:
    """Panels as true pixels: each is drawn, then the next one to its right."""
    high = max(cut.height for cut in row)
    yield _command("\n" * high + f"\x1b[{high}A")  # room below, and back
    across = 0
    for cut in row:
        yield _command("\x1b7" + (f"\x1b[{across}C" if across else ""))
        yield _command(encoded(cut.pixels(*CELL), protocol, cut.width, cut.height))
        yield _command("\x1b8")
        across += cut.width + GAP
    yield Segment("\n" * high)


def _command(text: str) -> Segment:
    """What takes no room: rich cuts text where the terminal ends, and leaves this whole."""
    return Segment(text, None, [(ControlType.CARRIAGE_RETURN,)])


def _letters(console: Console, options: ConsoleOptions, shading: Shading) -> str | None:
    """Letters of grey; ``None`` where colours can be shown."""
    if shading == "auto":
        coloured = console.color_system in ("256", "truecolor") and not console.no_color
    else:
        coloured = shading == "colour"
    if options.ascii_only:
        return ASCII_GREYS
    return None if coloured else GREYS


def _rgb(colour: Sequence[int]) -> str:
    return f"rgb({colour[0]},{colour[1]},{colour[2]})"


def _line(text: str, width: int, options: ConsoleOptions, style: Style) -> Iterator[Segment]:
    if options.ascii_only:
        text = text.encode("ascii", "replace").decode()
    cut = set_cell_size(text, width) if cell_len(text) > width else text
    yield Segment(cut.rstrip(), style)
    yield Segment.line()
