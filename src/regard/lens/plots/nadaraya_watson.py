"""The figure of Nadaraya-Watson regression with its attention weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING

import torch

from regard.errors import RangeError
from regard.functional.attend import attend
from regard.functional.scores import Boxcar, Epanechnikov, Gaussian, Score
from regard.functional.scores.kernels import Kernel
from regard.functional.weigh import weigh
from regard.types import Float, Tensor

from .style import CLAY, FAINT, GOLD, INK, LEAF, PLUM, SEA, SKY, SOFT, heat, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


NUM_POINTS, NUM_QUERIES, END = 100, 241, 4.0
NOISE = 0.5
"""Standard deviation of ε."""


def truth(x: Float[Tensor, " N"]) -> Float[Tensor, " N"]:
    """The function behind the noise, 2 sin x + x."""
    return 2 * torch.sin(x) + x


@dataclass(frozen=True, eq=False)
class Points:
    """Noisy points of :func:`truth`: keys ``x`` in rising order, values ``y``."""

    x: Float[Tensor, " K"]
    y: Float[Tensor, " K"]

    @classmethod
    def draw(cls, seed: int) -> "Points":
        """A hundred points: x uniform on [0, 4], y = 2 sin x + x + ε with normal ε."""
        generator = torch.Generator().manual_seed(seed)
        x = torch.rand(NUM_POINTS, generator=generator, dtype=torch.float64).mul(END).sort().values
        noise = torch.randn(NUM_POINTS, generator=generator, dtype=torch.float64)
        return cls(x, truth(x) + NOISE * noise)


@dataclass(frozen=True, eq=False)
class Regression:
    r"""One kernel fitted to points.

    .. math:: g(x) = \sum_i y_i f(x, x_i) / \sum_j f(x, x_j)

    Nadaraya 1964 (https://doi.org/10.1137/1109020), Watson 1964. The context of a query x over keys
    x_i and values y_i, weighed in proportion to a kernel; not a number where no key is in reach.
    """

    kernel: Score
    x: Float[Tensor, " Q"]
    y: Float[Tensor, " Q"]
    weights: Float[Tensor, "Q K"]

    @classmethod
    def of(cls, kernel: Score, points: Points) -> "Regression":
        """The curve over [0, 4] and its weights."""
        x = torch.linspace(0, END, NUM_QUERIES, dtype=torch.float64)
        query, key, value = x.unsqueeze(-1), points.x.unsqueeze(-1), points.y.unsqueeze(-1)
        context = attend(query, key, value, score=kernel, normalise="proportional")
        weights = weigh(query, key, score=kernel, normalise="proportional")
        reached = weights.sum(dim=-1) > 0
        return cls(kernel, x, context.squeeze(-1).where(reached, torch.nan), weights)

    @property
    def error(self) -> float:
        """Root mean square distance from the truth, where there is a curve."""
        return float((self.y - truth(self.x)).square().nanmean().sqrt())

    @property
    def breadth(self) -> float:
        """How many points a query averages: exp of its entropy, where there is a curve."""
        entropy = torch.special.entr(self.weights).sum(dim=-1)
        return float(entropy[self.y.isfinite()].exp().mean())


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
