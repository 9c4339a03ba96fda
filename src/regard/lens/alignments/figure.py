"""Alignments as a picture: one map per view, side by side."""

from collections.abc import Sequence
from io import BytesIO
from math import ceil
from typing import TYPE_CHECKING, Literal

import torch

from regard.errors import ShapeError
from regard.lens.plots.fonts import head, lettering
from regard.lens.plots.heatmap import Side, draw, shades
from regard.lens.plots.style import SEA, SOFT, save, style
from regard.lens.words import width_of

from ..words import direction, printable
from .view import AlignmentView, headings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ACROSS = 4
"""At most so many maps stand side by side."""
CELL, LARGEST = 0.5, 14.0
"""Inches of a cell, and of the cells of one map: longer sentences get smaller cells."""
NUMBERED = 20
"""Up to so many words the weights are written into their cells."""
LETTER, SPACE = 0.085, 0.35
"""Inches of a letter beside the cells, and around a map."""
NARROWEST = 3.2
"""Inches across a picture at least: there is a title above it."""
LONGEST = 24
"""Longer words are cut."""


def figure(views: Sequence[AlignmentView]) -> "Figure":
    """A map for every view, side by side, in cells and colours of one scale.

    For one sentence in several models, several heads of one model, or their mean. Above them
    stands what they share: the sentences and the model. What lies on the end of the source is the
    last column, behind a line. A sentence of a right-to-left script is read from the right: its
    first word is the rightmost column. Letters that no installed font has become boxes that name
    their script.

    Args:
        views: at least one.

    Raises:
        ShapeError: no view.
        MissingExtraError: matplotlib is not installed.
    """
    if not views:
        raise ShapeError("a picture of alignments needs at least one view, got none")
    with style("the picture of an alignment"):
        figure, panels = _grid(views)
        weights = torch.tensor([[[max(view.largest for view in views)]]], dtype=torch.float64)
        mesh = shades(weights, SEA)
        above = headings(views)
        for axes, view, title in zip(panels, views, above.views, strict=True):
            _map(axes, view, title, mesh)
            axes.tick_params(labelsize=min(10.5, 55 * _cell(views)))
        head(figure, above.sentences, above.model)
        return figure


def picture(views: Sequence[AlignmentView], kind: Literal["png", "svg"]) -> bytes:
    """:func:`figure` as a file; the same views always give the same bytes."""
    file = BytesIO()
    save(figure(views), file, kind)
    return file.getvalue()


def _map(axes: "Axes", view: AlignmentView, title: str, mesh: dict[str, object]) -> None:
    columns, target = _words(view.columns), _words(view.target)
    start: Side = "left" if direction(*view.source) == "ltr" else "right"
    draw(
        axes,
        torch.tensor(view.cells),
        queries=target,
        keys=columns,
        mesh=mesh,
        start=start,
        numbered=NUMBERED,
    )
    if view.end is not None:
        axes.axvline(len(view.source), color=SOFT, linewidth=0.8)
    axes.set_anchor("N")
    axes.xaxis.set_label_position("top")
    axes.yaxis.set_label_position(start)
    axes.set(xlabel=view.sides[0], ylabel=view.sides[1])
    axes.set_title(title, loc=start, parse_math=False, **lettering(title))


def _words(words: Sequence[str]) -> list[str]:
    cut = (printable(word) for word in words)
    return [word if len(word) <= LONGEST else word[: LONGEST - 1] + "…" for word in cut]


def _grid(views: Sequence[AlignmentView]) -> "tuple[Figure, list[Axes]]":
    """Axes for all views, as large as their sentences need."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    from regard.lens.plots.style import notebook_figure

    across = min(len(views), ACROSS)
    down = ceil(len(views) / across)
    width, height = _size(views)
    spaces = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1)
    figure = notebook_figure()(
        figsize=(max(NARROWEST, across * width), down * height), dpi=160, layout=spaces
    )
    panels = figure.subplots(down, across, squeeze=False).ravel().tolist()
    for unused in panels[len(views) :]:
        unused.remove()
    return figure, panels[: len(views)]


def _size(views: Sequence[AlignmentView]) -> tuple[float, float]:
    """Inches across and down of the largest map with its words, those above written aslant."""
    rows = max(len(view.target) for view in views)
    columns = max(len(view.columns) for view in views)
    cell = _cell(views)
    beside = max(_letters(view.target) for view in views)
    above = max(_letters(view.columns) for view in views) * 0.75
    return columns * cell + beside + above + SPACE, rows * cell + above + 2 * SPACE


def _cell(views: Sequence[AlignmentView]) -> float:
    return min(CELL, LARGEST / max(len(words) for v in views for words in (v.columns, v.target)))


def _letters(words: Sequence[str]) -> float:
    return LETTER * max(map(width_of, _words(words)))
