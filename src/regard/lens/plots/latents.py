"""A picture of latents: what an autoencoder keeps of texts or pictures, as points on a plane."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from regard.errors import ShapeError
from regard.types import Float, Tensor

from ..space import on_a_plane
from .style import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAMED = 40
"""Points that are named at most."""
LONGEST = 32
"""Longer names are cut."""


def latents_figure(
    latents: Float[Tensor, "N Z"],
    method: Literal["pca", "tsne"] = "pca",
    *,
    names: Sequence[str] = (),
    groups: Sequence[str] = (),
) -> "Figure":
    """Latents on a plane, each group in a colour of its own.

    Args:
        latents: a row for each.
        method: principal components, or t-SNE.
        names: what is written beside each point, where there are few.
        groups: what some have in common, such as their label or length; in the order of the legend.

    Raises:
        ShapeError: not one name, or group, for each.
        RangeError: fewer than three.
        MissingExtraError: matplotlib is not installed, or scikit-learn for t-SNE.
    """
    for what, told in (("name", names), ("group", groups)):
        if told and len(told) != len(latents):
            raise ShapeError(
                f"a picture of latents needs a {what} for each of {len(latents)}, got {len(told)}"
            )
    points = on_a_plane(latents, method).tolist()
    with style("a picture of latents"):
        from matplotlib import colormaps
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6.4, 4.8), layout="constrained")
        axes = figure.add_subplot()
        own = groups or [""] * len(points)
        kinds = list(dict.fromkeys(own))
        shades = colormaps["tab10" if len(kinds) <= 10 else "viridis"]
        for number, kind in enumerate(kinds):
            colour = shades(number if len(kinds) <= 10 else number / (len(kinds) - 1))
            here = [place for place, group in zip(points, own, strict=True) if group == kind]
            xs, ys = zip(*here, strict=True)
            axes.scatter(xs, ys, s=14, color=colour, label=kind or None)
        if len(names) <= NAMED:
            for name, (x, y) in zip(names, points, strict=False):
                short = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
                axes.annotate(short, (x, y), xytext=(3, 3), textcoords="offset points", fontsize=7)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.margins(0.08)
        if any(kinds):
            axes.legend(loc="best", frameon=False, fontsize=8)
        return figure
