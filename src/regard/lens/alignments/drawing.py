"""An alignment in the terminal: a map of cells with a word for every row and column."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.text import Text

from .bands import bands, fit
from .headings import view_name
from .pen import Pen, line
from .shades import Blocks
from .view import AlignmentView
from .words import bidi_isolate

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
