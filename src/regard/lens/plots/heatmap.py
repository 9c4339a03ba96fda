"""Maps of weights: who looks at whom."""

from collections.abc import Sequence
from math import ceil, sqrt
from typing import TYPE_CHECKING

import torch

from regard.errors import ShapeError
from regard.types import Float, Tensor

from .panel import draw, shades
from .style import SEA, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
        mesh = shades(panels, colour)
        for axes, panel, title in zip(_grid(panels), panels, titles, strict=True):
            draw(axes, panel, queries=queries, keys=keys, mesh=mesh)
            axes.set_title(title, fontweight="bold", parse_math=False)
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
