"""The style of all figures: palette, axes, saving."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from typing import IO, TYPE_CHECKING, Any

from regard.extras import need

if TYPE_CHECKING:
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

PAPER, INK, SOFT, FAINT = "#fcfbf8", "#1f2a33", "#66737d", "#b9c0c4"
SEA, CLAY, GOLD, PLUM, LEAF, SKY = "#1f7a83", "#c4572f", "#b98515", "#7c4d79", "#4f7d3a", "#3f74a8"

DOTS = 96
"""Pixels per inch of a page: what is drawn finer is shown sharper, not larger."""

SETTINGS: dict[Any, Any] = {
    "font.size": 11,
    "figure.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "text.color": INK,
    "axes.labelcolor": SOFT,
    "axes.edgecolor": FAINT,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 11.5,
    "axes.titlepad": 7,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": SOFT,
    "ytick.labelcolor": SOFT,
    "xtick.labelsize": 9.5,
    "ytick.labelsize": 9.5,
    "svg.fonttype": "path",
    "svg.hashsalt": "regard",
}


def need_matplotlib(what: str) -> None:
    """Before long work that ends in a picture: can it be drawn here?

    Args:
        what: the picture, for the message.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    need("matplotlib", what)


@contextmanager
def style(what: str) -> Iterator[None]:
    """Our settings while a picture is drawn; nothing of them stays.

    Args:
        what: the picture, for the message if matplotlib is missing.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    need_matplotlib(what)
    import matplotlib as mpl

    with mpl.rc_context(SETTINGS):
        yield


def save(figure: "Figure", file: IO[bytes] | BytesIO, kind: str) -> None:
    """Write a picture; the same picture always gives the same bytes.

    Args:
        figure: what was drawn.
        file: where to.
        kind: ``"png"`` or ``"svg"``.
    """
    undated = {"Date": None} if kind == "svg" else {"Software": None}
    with style("saving a picture"):
        figure.savefig(file, format=kind, metadata=undated)


def heat(colour: str) -> "Colormap":
    """From paper to ``colour`` to ink: weights from zero to the largest."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("regard", [PAPER, colour, INK])


@cache
def notebook_figure() -> "type[Figure]":
    """The figure of matplotlib, an extra, which knows how to show itself with any backend."""
    from matplotlib.figure import Figure

    class NotebookFigure(Figure):
        def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
            file = BytesIO()
            save(self, file, "png")
            width, height = (round(DOTS * inches) for inches in self.get_size_inches())
            return file.getvalue(), {"width": width, "height": height}

    return NotebookFigure
