"""Weights and statistics of maps too large to build."""

from ..case import Case
from ..goals import under
from ..plans import Probe, Suite

LONG = 100_000
MAP = 16_384
MAP_MEGABYTES = MAP * MAP * 4 / 1e6


def weigh(quick: bool) -> Suite:
    """The suite, the same in the quick set."""
    rows = Probe(
        title="weigh: 8 rows of 100,000 × 100,000",
        system="regard",
        case=Case("weigh", (1, 1, LONG, 64)),
        peak=under(300.0, "MB"),
        seconds=under(2.0, "s"),
    )
    summary = Probe(
        title="statistics: 16,384 tokens, causal",
        system="regard",
        case=Case("statistics", (1, 1, MAP, 64), mask="causal"),
        peak=under(float(round(MAP_MEGABYTES / 4)), "MB"),
    )
    return Suite(
        name="weigh",
        title="Weights without the map",
        note=f"In a process of its own each. The maps would take 40,000 and {MAP_MEGABYTES:,.0f} "
        "MB; the goal for statistics is a quarter of its map.",
        probes=(rows, summary),
    )
