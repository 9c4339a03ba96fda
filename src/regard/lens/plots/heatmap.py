"""Maps of weights: who looks at whom."""

from collections.abc import Sequence
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any

import torch

from regard.errors import ShapeError
from regard.types import Float, Tensor

from .style import CLAY, INK, PAPER, SEA, heat, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

NUMBERED = 12
"""Up to so many keys the weights are written into their cells."""
ACROSS = 4
"""At most so many panels stand side by side."""
CELL, LABELS = 0.62, 0.95
"""Inches of a cell, and of the words beside the cells."""


def heatmap(
    weights: Float[Tensor, "*H Q K"],
    *,
    queries: Sequence[str],
    keys: Sequence[str] | None = None,
    titles: Sequence[str] | None = None,
    colour: str = SEA,
) -> "Figure":
    """Weights as a map with a row per query and a column per key; one panel per head.

    Colours run from zero to the largest weight of all panels. Negative weights, which some
    normalisers allow, are drawn in the colour of clay.

    Args:
        weights: any leading axes are panels, in order.
        queries: a word for every row.
        keys: a word for every column; the queries if not given.
        titles: a line above every panel; ``None`` counts the heads if there are several.
        colour: of the large weights.

    Raises:
        ShapeError: not as many words as rows or columns, not as many titles as panels, or no cell.
        MissingExtraError: matplotlib is not installed.
    """
    keys = queries if keys is None else keys
    panels = _panels(weights, queries, keys)
    if titles is None:
        titles = [f"head {i}" for i in range(len(panels))] if len(panels) > 1 else [""]
    if len(titles) != len(panels):
        raise ShapeError(f"heatmap needs a title for each of {len(panels)} panels, got {titles}")
    with style("the figure heatmap"):
        shades = _shades(panels, colour)
        for axes, panel, title in zip(_grid(panels), panels, titles, strict=True):
            _panel(axes, panel, shades)
            _words(axes, queries, keys)
            axes.set_title(title, fontweight="bold")
        figure = axes.get_figure(root=True)
        assert figure is not None
        return figure


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
    from matplotlib.figure import Figure

    count, rows, columns = panels.shape
    across = min(ceil(sqrt(count)), ACROSS)
    down = ceil(count / across)
    cell = min(CELL, 8 / max(rows, columns))
    size = (across * (columns * cell + LABELS), down * (rows * cell + LABELS))
    figure = Figure(figsize=size, dpi=160, layout="constrained")
    drawn = figure.subplots(down, across, squeeze=False).ravel().tolist()
    for unused in drawn[count:]:
        unused.remove()
    return drawn[:count]


def _shades(panels: Float[Tensor, "H Q K"], colour: str) -> dict[str, Any]:
    """The colours of all panels, as settings of a mesh."""
    from matplotlib.colors import LinearSegmentedColormap

    most = float(panels.nan_to_num().abs().max()) or 1.0
    if float(panels.nan_to_num().min()) >= 0:
        return {"cmap": heat(colour), "vmin": 0.0, "vmax": most}
    both: Colormap = LinearSegmentedColormap.from_list("regard signed", [CLAY, PAPER, colour])
    return {"cmap": both, "vmin": -most, "vmax": most}


def _panel(axes: "Axes", weights: Float[Tensor, "Q K"], shades: dict[str, Any]) -> None:
    rows, columns = weights.shape
    mesh = axes.pcolormesh(weights.numpy(), edgecolors=PAPER, linewidth=1.5, **shades)
    axes.set(xlim=(0, columns), ylim=(rows, 0), aspect="equal")
    axes.spines[:].set_visible(False)
    if max(rows, columns) > NUMBERED:
        return
    for row, line in enumerate(weights.tolist()):
        for column, weight in enumerate(line):
            colour = _readable(tuple(mesh.cmap(mesh.norm(weight))))
            place: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 9}
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
    """Keys above, queries on the left."""
    axes.set_xticks([i + 0.5 for i in range(len(keys))], keys, rotation=45, ha="left")
    axes.set_yticks([i + 0.5 for i in range(len(queries))], queries)
    axes.tick_params(length=0, top=False, labeltop=True, labelbottom=False, labelcolor=INK)
    for label in axes.get_xticklabels():
        label.set_rotation_mode("anchor")
