"""How runs went: loss and measures over their steps, from ``log.jsonl``."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from regard.errors import InputError
from regard.lens.plots.style import CLAY, FAINT, GOLD, LEAF, PLUM, SEA, SKY, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Lines = Sequence[Mapping[str, Any]]
"""Of one log, as :func:`regard.training.log.read` gives them."""
COLOURS = (SEA, CLAY, GOLD, PLUM, LEAF, SKY)
TRAINED = "training loss"
ACROSS = 3
"""Panels side by side at most."""


def curves(runs: Mapping[str, Lines]) -> "Figure":
    """A panel for the loss in training and for every measure, a curve for every run.

    Args:
        runs: the lines of their logs, by name.

    Raises:
        InputError: no run has made a step.
        MissingExtraError: matplotlib is not installed.
    """
    panels = _panels(runs)
    if not panels:
        raise InputError("curves need a run with numbers in its log, got none")
    with style("the curves of a run"):
        from regard.lens.plots.shown import shown_figure

        columns = min(ACROSS, len(panels))
        rows = -(-len(panels) // columns)
        figure = shown_figure()(figsize=(4 * columns, 3 * rows), dpi=200, layout="constrained")
        axes = list(figure.subplots(rows, columns, squeeze=False).flat)
        for panel, one in zip(panels, axes, strict=False):
            _draw(one, panel, {name: _points(lines, panel) for name, lines in runs.items()})
        for one in axes[len(panels) :]:
            one.set_visible(False)
        return figure


def _panels(runs: Mapping[str, Lines]) -> list[str]:
    """What there are numbers of, in the order of the logs."""
    measures = dict.fromkeys(
        name
        for lines in runs.values()
        for line in lines
        if line["kind"] == "valid"
        for name in line
    )
    names = [TRAINED, *(name for name in measures if name not in ("step", "kind", "best"))]
    return [name for name in names if any(_points(lines, name) for lines in runs.values())]


def _points(lines: Lines, panel: str) -> list[tuple[int, float]]:
    kind, name = ("train", "loss") if panel == TRAINED else ("valid", panel)
    of_kind = [line for line in lines if line["kind"] == kind]
    return [(line["step"], line[name]) for line in of_kind if line.get(name) is not None]


def _draw(axes: "Axes", panel: str, curves: Mapping[str, list[tuple[int, float]]]) -> None:
    for number, (name, points) in enumerate(curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        marker = "" if panel == TRAINED else "o"
        steps, values = [step for step, _ in points], [value for _, value in points]
        axes.plot(steps, values, color=colour, label=name, marker=marker, markersize=3)
    axes.set(title=panel, xlabel="updates")
    axes.grid(axis="y", color=FAINT, linewidth=0.5, alpha=0.6)
    if len(curves) > 1 and panel == TRAINED:
        axes.legend(frameon=False, fontsize=8)
