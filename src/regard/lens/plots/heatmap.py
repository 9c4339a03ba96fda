"""Attention weights as heat maps: cells, numbers, words."""

from collections.abc import Iterable, Sequence
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any, Literal

import torch

from regard.errors import ShapeError
from regard.types import Float, Tensor

from .fonts import families
from .style import CLAY, INK, PAPER, SEA, heat, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure


ACROSS = 4
"""At most so many panels stand side by side."""
MOST_NUMBERS = 40
"""At most so many rows or columns are numbered."""
CELL, LABELS = 0.62, 0.95
"""Inches of a cell, and of the words beside the cells."""


def heatmap(
    weights: Float[Tensor, "*H Q K"],
    *,
    queries: Iterable[object] | None = None,
    keys: Iterable[object] | None = None,
    titles: Iterable[object] | None = None,
    colour: str = SEA,
) -> "Figure":
    """Weights as a map with a row per query and a column per key; one panel per head.

    Colours run from zero to the largest weight of all panels. Negative weights, which some
    normalisers allow, are drawn in the colour of clay.

    Args:
        weights: any leading axes are panels, in order.
        queries: a word for every row, or anything by ``str``; numbers from 0 if not given.
        keys: likewise for every column; the queries if only these are given.
        titles: a line above every panel; ``None`` counts the heads if there are several.
        colour: of the large weights.

    Raises:
        ShapeError: not as many words as rows or columns, not as many titles as panels, or no cell.
        MissingExtraError: matplotlib is not installed.
    """
    down = _labels(queries, weights, -2)
    across = _labels(keys, weights, -1) if keys is not None or queries is None else down
    panels = _panels(weights, down, across)
    if titles is None:
        titles = [f"head {i}" for i in range(len(panels))] if len(panels) > 1 else [""]
    above = [str(title) for title in titles]
    if len(above) != len(panels):
        raise ShapeError(f"heatmap needs a title for each of {len(panels)} panels, got {above}")
    with style("the figure heatmap"):
        mesh = shades(panels, colour)
        for axes, panel, title in zip(_grid(panels), panels, above, strict=True):
            draw(axes, panel, queries=down, keys=across, mesh=mesh)
            axes.set_title(title, fontweight="bold", parse_math=False)
        figure = axes.get_figure(root=True)
        assert figure is not None
        return figure


def _labels(given: Iterable[object] | None, weights: Tensor, axis: int) -> list[str]:
    """What was given, by ``str``; without it numbers, of long rows only some."""
    if given is not None:
        return [str(label) for label in given]
    count = weights.shape[axis] if weights.dim() >= 2 else 0
    step = ceil(count / MOST_NUMBERS) or 1
    return [str(place) if place % step == 0 else "" for place in range(count)]


def _panels(
    weights: Float[Tensor, "*H Q K"], queries: Sequence[str], keys: Sequence[str]
) -> Float[Tensor, "H Q K"]:
    size = (len(queries), len(keys))
    if weights.dim() < 2 or weights.shape[-2:] != size or not weights.numel():
        raise ShapeError(
            f"heatmap needs weights (*H, Q, K) for {size[0]} queries and {size[1]} keys, at least "
            f"one of each, got {tuple(weights.shape)}"
        )
    exact = torch.promote_types(weights.dtype, torch.float32)
    return weights.detach().cpu().to(exact).reshape(-1, *size)


def _grid(panels: Float[Tensor, "H Q K"]) -> "Sequence[Axes]":
    """Axes for all panels, in cells of one size whatever their number."""
    from .style import notebook_figure

    count, rows, columns = panels.shape
    across = min(ceil(sqrt(count)), ACROSS)
    down = ceil(count / across)
    cell = min(CELL, 8 / max(rows, columns))
    size = (across * (columns * cell + LABELS), down * (rows * cell + LABELS))
    figure = notebook_figure()(figsize=size, dpi=160, layout="constrained")
    drawn = figure.subplots(down, across, squeeze=False).ravel().tolist()
    for unused in drawn[count:]:
        unused.remove()
    return drawn[:count]


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
