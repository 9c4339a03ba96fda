"""Numbers in rows and columns that all have names: what an examination draws."""

from dataclasses import dataclass, field
from io import BytesIO
from textwrap import wrap
from typing import TYPE_CHECKING

from regard.types import Float, Tensor

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CELL, LETTER, LINE, NARROWEST = 0.45, 0.085, 0.22, 4.0
"""Inches of a cell, of a letter and of a line, and of a picture across at least."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """A table of numbers to be drawn or kept.

    Args:
        title: a line above.
        rows: names.
        columns: names.
        values: NaN where there is none.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: Float[Tensor, "R C"] = field(repr=False)

    def figure(self) -> "Figure":
        """As a map of colours.

        Raises:
            MissingExtraError: matplotlib is not installed.
        """
        from .plots.heatmap import draw, shades
        from .plots.style import SEA, notebook_figure, style

        values = self.values.nan_to_num()
        beside, above = (LETTER * max(map(len, names)) for names in (self.rows, self.columns))
        width = max(NARROWEST, beside + CELL * len(self.columns) + above + 0.3)
        lines = wrap(self.title, int(width / LETTER))
        height = CELL * len(self.rows) + above + LINE * len(lines) + 0.4
        with style("the picture of a table"):
            figure = notebook_figure()(figsize=(width, height), dpi=160, layout="constrained")
            axes = figure.add_subplot()
            draw(axes, values, queries=self.rows, keys=self.columns, mesh=shades(values[None], SEA))
            figure.suptitle("\n".join(lines), x=0.02, ha="left", fontsize=11, parse_math=False)
            return figure

    def npy(self) -> bytes:
        """The numbers as numpy keeps them."""
        import numpy as np

        file = BytesIO()
        np.save(file, self.values.double().numpy(), allow_pickle=False)
        return file.getvalue()
