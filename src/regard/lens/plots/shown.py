"""A figure that a notebook shows: it is the last line of a cell, and there is the picture."""

from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING

from .style import save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOTS = 96
"""Pixels per inch of a page: what is drawn finer is shown sharper, not larger."""


@cache
def shown_figure() -> "type[Figure]":
    """The figure of matplotlib, an extra, which knows how to show itself with any backend."""
    from matplotlib.figure import Figure

    class Shown(Figure):
        def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
            file = BytesIO()
            save(self, file, "png")
            width, height = (round(DOTS * inches) for inches in self.get_size_inches())
            return file.getvalue(), {"width": width, "height": height}

    return Shown
