"""A picture of words: those that are used alike lie together."""

from typing import TYPE_CHECKING, Literal

from ..space import Space
from .style import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def words_figure(
    space: Space, method: Literal["pca", "tsne"] = "pca", *, groups: dict[str, str] | None = None
) -> "Figure":
    """The words of a space on a plane.

    Args:
        space: words and their vectors.
        method: principal components, or t-SNE.
        groups: a name for what some words have in common, each drawn in a colour of its own.

    Raises:
        MissingExtraError: matplotlib is not installed, or scikit-learn for t-SNE.
        RangeError: fewer than three words.
    """
    with style("a picture of words"):
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6.4, 4.8), layout="constrained")
        axes = figure.add_subplot()
        points = space.flat(method).tolist()
        named = groups or {}
        kinds = list(dict.fromkeys(named.get(word, "") for word in space.words))
        for kind in kinds:
            own = [
                place
                for place, word in zip(points, space.words, strict=True)
                if named.get(word, "") == kind
            ]
            axes.scatter([x for x, _ in own], [y for _, y in own], s=14, label=kind or None)
        for word, (x, y) in zip(space.words, points, strict=True):
            axes.annotate(word, (x, y), xytext=(3, 3), textcoords="offset points", fontsize=8)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.margins(0.12)
        if any(kinds):
            axes.legend(loc="best", frameon=False, fontsize=8)
        return figure
