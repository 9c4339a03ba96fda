"""The panels of the chart: each knows its data and how to draw it on an axis."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any, Protocol

from .amounts import megabytes
from .results import CurveResult, Section

COLOURS = ("#1b5e9e", "#c8553d", "#6f6f6f", "#5b8c5a", "#8f6bb3", "#b08a2e")
"""Of the mechanisms of a panel, in order."""

OURS = {"regard": "#1b5e9e", "regard, numba": "#1b5e9e", "regard, no numba": "#7fb2de"}
"""Ours are blue in every panel."""


def colours_of(systems: Sequence[str]) -> dict[str, str]:
    """Blue for ours, the other colours in order for the peers."""
    peers = [name for name in systems if name not in OURS]
    return OURS | dict(zip(peers, cycle(COLOURS[1:]), strict=False))


class Panel(Protocol):
    """Whatever can draw itself on an axis of matplotlib."""

    def draw(self, axis: Any) -> None:
        """Draw on ``axis``."""


@dataclass(frozen=True)
class CurvePanel:
    """A quantity against N, both axes logarithmic, a line per system and pass."""

    title: str
    curves: tuple[CurveResult, ...]

    def draw(self, axis: Any) -> None:
        """Solid forward, dashed forward and backward; the exponents are in the legend."""
        in_time = self.curves[0].curve.quantity == "time"
        names = list(dict.fromkeys(result.curve.system for result in self.curves))
        colours = colours_of(names)
        for name in names:
            mine = [result for result in self.curves if result.curve.system == name]
            exponents = [f"N^{r.exponent:.2f}" for r in mine if r.exponent is not None]
            label: str | None = f"{name}  {', '.join(exponents)}"
            for result in mine:
                scaled = [v * 1e3 if in_time else megabytes(v) for v in result.values]
                backward = result.curve.cases[0].backward
                axis.plot(
                    result.sizes,
                    scaled,
                    "s--" if backward else "o-",
                    color=colours[name],
                    markerfacecolor="white" if backward else None,
                    linewidth=1.3,
                    markersize=4,
                    label=label,
                )
                label = None
        sizes = sorted({size for result in self.curves for size in result.sizes})
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        finish(axis, self.title, "ms" if in_time else "MB", sizes)


@dataclass(frozen=True)
class RatioPanel:
    """Ours over the best peer against N, a colour per mechanism, with the goal as a line."""

    title: str
    points: tuple[tuple[str, int, bool, float], ...]
    goal: float

    def draw(self, axis: Any) -> None:
        """Filled forward, hollow forward and backward; neighbours set apart sideways."""
        sizes = sorted({size for _, size, _, _ in self.points})
        names = list(dict.fromkeys(name for name, _, _, _ in self.points))
        for name, size, backward, value in self.points:
            at = names.index(name)
            aside = (at - (len(names) - 1) / 2) * 0.5 / len(names) + (0.04 if backward else -0.04)
            colour = COLOURS[at % len(COLOURS)]
            axis.plot(
                sizes.index(size) + aside,
                value,
                "s" if backward else "o",
                color=colour,
                markerfacecolor="white" if backward else colour,
                markersize=5,
            )
        for name in names:
            axis.plot([], [], "o", color=COLOURS[names.index(name) % len(COLOURS)], label=name)
        axis.margins(y=0.25)  # room for the legend
        axis.axhline(1.0, color="#bbbbbb", linewidth=0.8, zorder=0)
        axis.axhline(self.goal, color="#c0392b", linewidth=0.9, linestyle=":", zorder=0)
        axis.text(
            0.99, self.goal, f"goal ≤ {self.goal:g}×", color="#c0392b", fontsize=7,
            ha="right", va="bottom", transform=axis.get_yaxis_transform(),
        )  # fmt: skip
        finish(axis, self.title, "ours / best peer", range(len(sizes)), list(map(str, sizes)))


def finish(
    axis: Any, title: str, unit: str, ticks: Sequence[int], labels: Sequence[str] | None = None
) -> None:
    """What all panels share: title, ticks at the measured N, light grid, small legend."""
    axis.set_title(title, fontsize=9, loc="left")
    axis.set_xticks(list(ticks), labels or [str(tick) for tick in ticks], fontsize=8)
    axis.minorticks_off()
    axis.tick_params(labelsize=8)
    axis.set_xlabel("N", fontsize=8)
    axis.set_ylabel(unit, fontsize=8)
    axis.grid(True, color="#ececec", linewidth=0.7)
    axis.set_axisbelow(True)
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(fontsize=7, frameon=False)


def curve_panels(sections: Sequence[Section]) -> Iterator[CurvePanel]:
    """A panel per mechanism and quantity, with everybody who has a curve in it."""
    grouped: dict[tuple[str, str], list[CurveResult]] = {}
    for section in sections:
        for result in section.curves:
            if result.values:
                case = result.curve.cases[0]
                grouped.setdefault((case.title, result.curve.quantity), []).append(result)
    for (title, quantity), curves in grouped.items():
        what = "peak memory" if quantity == "memory" else quantity
        yield CurvePanel(f"{title}: {what}", tuple(curves))


def ratio_panels(sections: Sequence[Section]) -> Iterator[RatioPanel]:
    """A panel per suite that promises to be no slower than somebody."""
    for section in sections:
        points, goal = [], None
        for result in section.races:
            for comparison in result.comparisons:
                duel, case = comparison.duel, result.race.what
                if duel.measure != "slowdown" or duel.goal is None or comparison.value is None:
                    continue
                goal = duel.goal.bound
                points.append((case.title, case.positions, case.backward, comparison.value))
        if goal is not None:
            yield RatioPanel(section.suite.title, tuple(points), goal)
