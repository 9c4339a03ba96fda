"""Heat maps of attention weights."""

from collections.abc import Iterable, Sequence
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
