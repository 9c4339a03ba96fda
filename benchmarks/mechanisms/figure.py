"""BLEU by the length of the source, a line per mechanism."""

from collections.abc import Mapping
from io import BytesIO
from typing import TYPE_CHECKING

from regard.lens.plots.style import CLAY, GOLD, LEAF, PLUM, SEA, SKY, SOFT, save, style

from .contenders import MECHANISMS
from .results import MechanismsReport, Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = {
    "none": CLAY,
    "bahdanau": SEA,
    "luong-general": GOLD,
    "local-p": PLUM,
    "gnmt-4": LEAF,
    "transformer": SKY,
}
FEWEST = 5
"""Sentences that a point needs."""


def drawn(report: MechanismsReport) -> "Figure | None":
    """The figure of Cho et al. 2014 and Bahdanau et al. 2015; ``None`` without results.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    (race,) = report.parts
    results, task = race.entrants, race.race.what
    if not results:
        return None
    with style("the figure of BLEU by length"):
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9, 5.4), dpi=160, layout="constrained")
        axes = figure.subplots()
        buckets = next(iter(results.values())).lengths
        used = [place for place, one in enumerate(buckets) if one.sentences >= FEWEST]
        used = used or [place for place, one in enumerate(buckets) if one.sentences]
        for name, result in results.items():
            axes.plot(
                range(len(used)),
                [result.lengths[place].bleu or 0.0 for place in used],
                color=COLOURS[name],
                linewidth=2.2,
                marker="o",
                markersize=5,
                linestyle="--" if name == "none" else "-",
                label=f"{MECHANISMS[name].title}, {result.bleu:.1f}",
            )
        labels = [f"{buckets[place].label}\n({buckets[place].sentences})" for place in used]
        axes.set_xticks(range(len(used)), labels)
        axes.set(ylim=(0, top(results, used)), ylabel="BLEU")
        axes.set_xlabel("words of the source (sentences)")
        axes.grid(axis="y", color="#e6e4dd", linewidth=0.8)
        axes.legend(
            loc="upper left",
            bbox_to_anchor=(1.0, 1.0),
            frameon=False,
            fontsize=10,
            labelcolor=SOFT,
            title="over all lengths",
            title_fontsize=10,
            alignment="left",
        )
        text = "our grammar" if task.task == "grammar" else report.settings.data[0].name
        title = f"BLEU by length: {task.minutes:g} minutes on {text}, equal parameters"
        axes.set_title(title, fontsize=13, fontweight="bold")
        return figure


def top(results: Mapping[str, Result], used: list[int]) -> float:
    """A little above the highest point."""
    values = [result.lengths[place].bleu or 0.0 for result in results.values() for place in used]
    return 1.06 * max(1.0, *values)


def picture(report: MechanismsReport, kind: str) -> bytes | None:
    """The figure as ``"png"`` or ``"svg"``."""
    figure = drawn(report)
    if figure is None:
        return None
    file = BytesIO()
    save(figure, file, kind)
    return file.getvalue()
