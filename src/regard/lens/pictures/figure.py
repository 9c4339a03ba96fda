"""Pictures as a file: panels side by side, boxes and paths as lines, heat in true proportions."""

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal

from regard.errors import ShapeError
from regard.lens.plots.fonts import families, head
from regard.lens.plots.style import PAPER, SEA, SOFT, save, style

from ..words import printable
from .layers import FEW, PATH, RIGHT, colours, need_pillow, painted
from .view import Panel, PictureView

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ACROSS = 4
"""At most so many panels stand side by side."""
SIDE = 2.6
"""Inches of the longer side of a panel."""
TITLE, SPACE = 0.35, 0.12
DOTS = 160
LONGEST = 40
"""Longer titles of panels are cut."""
LETTERS = {"few": 7, "many": 5}
"""How large the words of boxes are."""


def figure(views: Sequence[PictureView]) -> "Figure":
    """Every panel of every view, those of a view in rows of their own.

    Args:
        views: at least one.

    Raises:
        ShapeError: no view.
        MissingExtraError: matplotlib or Pillow is not installed.
    """
    if not views:
        raise ShapeError("a figure of pictures needs at least one view, got none")
    need_pillow("the figure of a picture")
    with style("the figure of a picture"):
        figure, rows = _grid(views)
        for (view, panels), axes in rows:
            for panel, one in zip(panels, axes, strict=True):
                first = len(views) > 1 and panel is view.panels[0]
                _panel(one, view, panel, view.title if first else "")
        head(figure, _titles(views), _model(views))
        return figure


def picture(views: Sequence[PictureView], kind: Literal["png", "svg"]) -> bytes:
    """:func:`figure` as a file; the same views always give the same bytes."""
    file = BytesIO()
    save(figure(views), file, kind)
    return file.getvalue()


Row = tuple[PictureView, Sequence[Panel]]


def _grid(views: Sequence[PictureView]) -> "tuple[Figure, list[tuple[Row, list[Axes]]]]":
    """Axes for all panels, as large as their pictures are in proportion."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    from regard.lens.plots.style import notebook_figure

    rows: list[Row] = [
        (view, view.panels[start : start + ACROSS])
        for view in views
        for start in range(0, len(view.panels), ACROSS)
    ]
    across = max(len(panels) for _, panels in rows)
    sizes = [_inches(view) for view, _ in rows]
    width = across * (max(wide for wide, _ in sizes) + SPACE)
    height = sum(high + TITLE + SPACE for _, high in sizes)
    made = notebook_figure()(
        figsize=(max(SIDE + SPACE, width), height),
        dpi=DOTS,
        layout=ConstrainedLayoutEngine(w_pad=0.05, h_pad=0.05),
    )
    ratios = [high for _, high in sizes]
    grid = made.subplots(len(rows), across, squeeze=False, height_ratios=ratios)
    found = []
    for row, axes in zip(rows, grid.tolist(), strict=True):
        for unused in axes[len(row[1]) :]:
            unused.remove()
        found.append((row, axes[: len(row[1])]))
    return made, found


def _inches(view: PictureView) -> tuple[float, float]:
    wide, high = view.proportions
    longer = max(wide, high)
    return max(0.4, SIDE * wide / longer), max(0.4, SIDE * high / longer)


def _panel(axes: "Axes", view: PictureView, panel: Panel, above: str) -> None:
    """One panel; ``above`` is what its view is called, where several stand below each other."""
    title = ": ".join(printable(part) for part in (above, panel.title) if part)
    title = title if len(title) <= LONGEST else title[: LONGEST - 1] + "…"
    axes.set_title(title, fontsize=9.5, parse_math=False, fontfamily=families([title]))
    if panel.bars is not None:
        _bars(axes, panel)
        return
    wide, high = _inches(view)
    size = max(1, round(wide * DOTS)), max(1, round(high * DOTS))
    axes.imshow(painted(view, panel, size), extent=(0, wide, high, 0), interpolation="nearest")
    axes.set(xlim=(0, wide), ylim=(high, 0), xticks=[], yticks=[], aspect="equal")
    axes.spines[:].set_visible(False)
    _boxes(axes, panel, wide, high)
    if panel.path:
        steps = [(x * wide, y * high) for x, y in panel.path]
        axes.plot(*zip(*steps, strict=True), marker="o", markersize=4, color=_hex(PATH))
        for number, place in enumerate(steps, start=1):
            axes.annotate(str(number), place, (3, 3), textcoords="offset points", fontsize=7)


def _boxes(axes: "Axes", panel: Panel, wide: float, high: float) -> None:
    from matplotlib.patches import Rectangle

    for box, colour in zip(panel.boxes, colours(panel), strict=True):
        x, y = box.left * wide, box.top * high
        width, height = (box.right - box.left) * wide, (box.bottom - box.top) * high
        line = _hex(colour)
        axes.add_patch(Rectangle((x, y), width, height, fill=False, edgecolor=line, linewidth=1.4))
        if box.text:
            said = printable(box.text)
            ends = box.left > RIGHT
            letters: dict[str, Any] = {
                "fontsize": LETTERS["few" if len(panel.boxes) <= FEW else "many"],
                "parse_math": False,
                "fontfamily": families([said]),
                "ha": "right" if ends else "left",
            }
            ground = {"facecolor": line, "edgecolor": "none", "pad": 1.0, "alpha": 0.8}
            axes.text(x + width * ends, y, said, color=PAPER, va="top", bbox=ground, **letters)


def _bars(axes: "Axes", panel: Panel) -> None:
    assert panel.bars is not None
    axes.bar(range(len(panel.bars)), panel.bars.tolist(), width=1.0, color=SEA)
    axes.set(xlim=(-0.5, len(panel.bars) - 0.5), ylim=(0, max(1.0, panel.largest)), xticks=[])
    axes.tick_params(labelsize=7, colors=SOFT)


def _hex(colour: tuple[int, int, int]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _titles(views: Sequence[PictureView]) -> list[str]:
    """Of a single view its own; several stand below each other and have none."""
    return [printable(views[0].title)] if len(views) == 1 and views[0].title else []


def _model(views: Sequence[PictureView]) -> str:
    models = {view.model for view in views}
    return printable(models.pop()) if len(models) == 1 and views[0].model else ""
