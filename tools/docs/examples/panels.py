"""Pictures side by side: an image, and what an attention makes of it."""

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

from regard.lens.plots.style import CLAY, LEAF, PAPER, SEA, SKY, heat, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Panel(NamedTuple):
    """An image of three channels (3, Y, X), or one number per position (Y, X)."""

    title: str
    image: Tensor
    largest: float | None = None
    """Drawn darkest; ``None`` is the largest number of the panel."""


def panels(shown: list[Panel]) -> "Figure":
    """All of them in one row."""
    with style("the figure of an image"):
        from matplotlib.figure import Figure

        figure = Figure(figsize=(2.6 * len(shown), 2.9), dpi=160, layout="constrained")
        columns = figure.subplots(1, len(shown), squeeze=False)[0]
        for axes, panel in zip(columns, shown, strict=True):
            _draw(axes, panel)
            axes.set_title(panel.title, fontweight="bold")
            axes.set(xticks=[], yticks=[])
        return figure


def _draw(axes: "Axes", panel: Panel) -> None:
    image = panel.image.detach()
    if image.dim() == 3:
        axes.imshow(_painted(image).numpy(), interpolation="nearest")
    else:
        scale = {"vmin": 0.0, "vmax": panel.largest}
        axes.imshow(image.numpy(), cmap=heat(SEA), interpolation="nearest", **scale)
    axes.spines[:].set_visible(True)


def _painted(image: Tensor) -> Tensor:
    """Each channel in its own colour on paper, (Y, X, 3)."""
    from matplotlib.colors import to_rgb

    paper = torch.tensor(to_rgb(PAPER))
    colours = torch.tensor([to_rgb(colour) for colour in (CLAY, LEAF, SKY)])
    return (paper + torch.einsum("cyx,cr->yxr", image, colours - paper)).clamp(0, 1)
