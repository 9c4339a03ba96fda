"""The figure of Nadaraya-Watson regression with its attention weights."""

from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING

import torch

from regard.errors import RangeError
from regard.functional.scores import Boxcar, Epanechnikov, Gaussian
from regard.functional.scores.kernels import Kernel

from .regression import END, Points, Regression, truth
from .style import CLAY, FAINT, GOLD, INK, LEAF, PLUM, SEA, SKY, SOFT, heat, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

SHOWN_QUERY = 2.0
FLOOR = -1.6


def nadaraya_watson(
    *, seed: int = 0, kernel_width: float = 1.0, widths: Sequence[float] = (0.05, 0.2, 0.6)
) -> "Figure":
    """Kernels compared above, widths of a Gaussian below, each with its map of weights.

    Args:
        seed: which hundred points.
        kernel_width: width of the three kernels above.
        widths: widths of the Gaussians below, at least one.

    Raises:
        RangeError: a width that is not positive, or none.
        MissingExtraError: matplotlib is not installed.
    """
    if not widths:
        raise RangeError("nadaraya_watson needs at least one width, got none")
    with style("the figure nadaraya-watson"):
        from matplotlib.layout_engine import ConstrainedLayoutEngine

        from .style import notebook_figure

        points = Points.draw(seed)
        kernels = [kernel(kernel_width) for kernel in (Gaussian, Boxcar, Epanechnikov)]
        gaussians = [Gaussian(width) for width in widths]
        spaces = ConstrainedLayoutEngine(h_pad=0.09, w_pad=0.09)
        figure = notebook_figure()(figsize=(12, 11.2), dpi=200, layout=spaces)
        (above,), (below,) = figure.subfigures(2, 1, squeeze=False, hspace=0.04)
        _block(above, points, [Regression.of(k, points) for k in kernels], (SEA, CLAY, GOLD))
        _block(below, points, [Regression.of(k, points) for k in gaussians], (PLUM, LEAF, SKY))
        _heading(above, "The kernel decides which neighbours count")
        _heading(below, "Its width decides how many")
        return figure


def _heading(block: "SubFigure", title: str) -> None:
    block.suptitle(title, x=0.008, ha="left", fontsize=16, fontweight="bold")


def _block(
    block: "SubFigure", points: Points, regressions: Sequence[Regression], colours: Sequence[str]
) -> None:
    """A row of curves and, below each, its map of weights over the same x axis."""
    panels = block.subplots(
        2, len(regressions), sharex="col", sharey="row", height_ratios=(1, 0.7), squeeze=False
    )
    for (curve, weights), fit, colour in zip(panels.T, regressions, cycle(colours), strict=False):
        _curve(curve, points, fit, colour)
        _weights(weights, points, fit, colour)
    panels[0, 0].legend(loc="upper left", frameon=False, fontsize=9.5, labelcolor=SOFT)
    panels[0, 0].set_ylabel("y")
    panels[1, 0].set_ylabel("key $x_i$")
    for weights in panels[1]:
        weights.set_xlabel("query x")


def _curve(axes: "Axes", points: Points, fit: Regression, colour: str) -> None:
    """Points, truth, regression, and the kernel as it lies around one query."""
    kernel = fit.kernel
    assert isinstance(kernel, Kernel)
    axes.plot(points.x.numpy(), points.y.numpy(), ".", color=FAINT, ms=6, mew=0, label="points")
    dashes = (0, (4, 2))
    x, smooth, fitted = fit.x.numpy(), truth(fit.x).numpy(), fit.y.numpy()
    axes.plot(x, smooth, color=INK, linewidth=1.1, linestyle=dashes, label="2 sin x + x")
    axes.plot(x, fitted, color=colour, linewidth=2.6, label="regression")
    near = torch.linspace(0, END, 4001)
    shape = FLOOR + kernel.profile(((near - SHOWN_QUERY) / kernel.width).square())
    axes.fill_between(near.numpy(), FLOOR, shape.numpy(), color=colour, alpha=0.3, linewidth=0)
    caption = f"kernel at x = {SHOWN_QUERY:g}"
    axes.text(SHOWN_QUERY, FLOOR + 1.1, caption, ha="center", color=SOFT, fontsize=9.5)
    axes.set_title(f"{kernel.name.capitalize()}, width {kernel.width:g}", fontweight="bold")
    axes.set_title(f"rms error {fit.error:.2f}", loc="right", color=SOFT)
    axes.set(xlim=(0, END), ylim=(FLOOR, 6), xticks=range(5), yticks=range(0, 7, 2))


def _weights(axes: "Axes", points: Points, fit: Regression, colour: str) -> None:
    """The weight of each key for each query, in the colours of its own largest weight."""
    middles = (points.x[1:] + points.x[:-1]) / 2
    edges = torch.cat([middles.new_zeros(1), middles, middles.new_full((1,), END)])
    step = (fit.x[1] - fit.x[0]) / 2
    across = torch.cat([fit.x - step, fit.x[-1:] + step])
    mesh = across.numpy(), edges.numpy(), fit.weights.T.numpy()
    axes.pcolormesh(*mesh, cmap=heat(colour), vmin=0, rasterized=True)
    axes.axvline(SHOWN_QUERY, color=INK, linewidth=0.8, linestyle=(0, (1, 2)))
    axes.set(ylim=(0, END), yticks=range(5))
    count = f"each query averages about {fit.breadth:.0f} points"
    axes.set_title(count, fontsize=10.5, color=SOFT)
