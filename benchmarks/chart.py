"""The report as one picture: how time and memory grow, and the ratios beside their goals."""

import io

from regard.errors import MissingExtraError

from .panels import Panel, curve_panels, ratio_panels
from .results import SuiteReport

COLUMNS = 3


def draw(report: SuiteReport) -> bytes | None:
    """A PNG with a panel per mechanism and quantity, and one of ratios per suite that has them.

    None when there is neither.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("the chart", "plots") from error

    panels: list[Panel] = [*curve_panels(report.parts), *ratio_panels(report.parts)]
    if not panels:
        return None
    rows = -(-len(panels) // COLUMNS)
    figure = Figure(figsize=(5.0 * COLUMNS, 0.5 + 3.7 * rows), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, COLUMNS, squeeze=False).ravel()
    for axis, panel in zip(axes, panels, strict=False):
        panel.draw(axis)
    for axis in axes[len(panels) :]:
        axis.set_axis_off()
    figure.suptitle(caption(report), fontsize=9, x=0.01, ha="left")
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=120)
    return picture.getvalue()


def caption(report: SuiteReport) -> str:
    """Command and outcome, then the machine."""
    machine = report.machine
    threads = "1 thread" if machine.threads == 1 else f"{machine.threads} threads"
    return (
        f"{machine.command}  ·  {report.summary}\n"
        f"{machine.cpu}, {threads}, torch {machine.versions.get('torch', '?')}, "
        f"load {machine.load[0]:.2f}, {machine.date[:10]}  ·  "
        "solid, filled: forward; dashed, hollow: forward + backward"
    )
