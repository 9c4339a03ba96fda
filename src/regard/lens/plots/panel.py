"""One heat map on given axes: cells, numbers, words."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from regard.types import Float, Tensor

from .fonts import families
from .style import CLAY, INK, PAPER, heat

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.colors import Colormap

Side = Literal["left", "right"]

NUMBERED = 12
"""Up to so many rows and columns the weights are usually written into their cells."""

THINNER = 36
"""Lines between cells are so many points divided by their number, or they would hide small ones."""


def draw(
    axes: "Axes",
    weights: Float[Tensor, "Q K"],
    *,
    queries: Sequence[str],
    keys: Sequence[str],
    mesh: dict[str, Any],
    start: Side = "left",
    numbered: int = NUMBERED,
) -> None:
    """Draw a map with a row per query from above and a column per key.

    Args:
        axes: where to.
        weights: what.
        queries: a word for every row.
        keys: a word for every column.
        mesh: the colours, see :func:`shades`.
        start: the side of the first column and of the words of the rows.
        numbered: up to so many rows and columns the weights are written into their cells.
    """
    drawn = _cells(axes, weights, mesh)
    if max(weights.shape) <= numbered:
        _numbers(axes, weights, drawn)
    _words(axes, queries, keys)
    if start == "right":
        _mirror(axes)


def shades(panels: Float[Tensor, "H Q K"], colour: str) -> dict[str, Any]:
    """The colours of all panels, as settings of a mesh.

    Args:
        panels: every weight that will be drawn.
        colour: of the large weights; negative ones are drawn in the colour of clay.
    """
    from matplotlib.colors import LinearSegmentedColormap

    most = float(panels.nan_to_num().abs().max()) or 1.0
    if float(panels.nan_to_num().min()) >= 0:
        return {"cmap": heat(colour), "vmin": 0.0, "vmax": most}
    both: Colormap = LinearSegmentedColormap.from_list("regard signed", [CLAY, PAPER, colour])
    return {"cmap": both, "vmin": -most, "vmax": most}


def _cells(axes: "Axes", weights: Float[Tensor, "Q K"], settings: dict[str, Any]) -> "QuadMesh":
    rows, columns = weights.shape
    width = min(1.5, THINNER / max(rows, columns))
    mesh = axes.pcolormesh(weights.numpy(), edgecolors=PAPER, linewidth=width, **settings)
    axes.set(xlim=(0, columns), ylim=(rows, 0), aspect="equal")
    axes.spines[:].set_visible(False)
    return mesh


def _numbers(axes: "Axes", weights: Float[Tensor, "Q K"], mesh: "QuadMesh") -> None:
    place: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 9}
    for row, line in enumerate(weights.tolist()):
        for column, weight in enumerate(line):
            colour = _readable(tuple(mesh.cmap(mesh.norm(weight))))
            faint = 1.0 if abs(weight) >= 0.005 else 0.4
            axes.text(column + 0.5, row + 0.5, _number(weight), color=colour, alpha=faint, **place)


def _number(weight: float) -> str:
    """Two decimals; a plain 0 is exactly zero."""
    return "0" if weight == 0 else f"{weight:.2f}".replace("-", "\N{MINUS SIGN}")


def _readable(background: tuple[float, ...]) -> str:
    """The colour of letters on a cell."""
    red, green, blue, _ = background
    return PAPER if 0.3 * red + 0.59 * green + 0.11 * blue < 0.5 else INK


def _words(axes: "Axes", queries: Sequence[str], keys: Sequence[str]) -> None:
    """Keys above, queries on the left; no dollar sign begins a formula."""
    axes.set_xticks([i + 0.5 for i in range(len(keys))], keys, rotation=45, ha="left")
    axes.set_yticks([i + 0.5 for i in range(len(queries))], queries)
    axes.tick_params(length=0, top=False, labeltop=True, labelbottom=False, labelcolor=INK)
    fonts = families([*queries, *keys])
    for tick in [*axes.xaxis.get_major_ticks(), *axes.yaxis.get_major_ticks()]:
        for label in (tick.label1, tick.label2):
            label.set(parse_math=False, fontfamily=fonts)
    for label in axes.get_xticklabels():
        label.set_rotation_mode("anchor")


def _mirror(axes: "Axes") -> None:
    """Let the map begin on the right."""
    axes.invert_xaxis()
    axes.tick_params(labelleft=False, labelright=True)
    for label in axes.get_xticklabels():
        label.set(rotation=-45, ha="right")
