"""The lines of one band of an alignment, as texts of rich."""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len
from rich.style import StyleType
from rich.text import Text

from .bands import Band
from .shades import Blocks, cell_style
from .words import bidi_isolate

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
