"""Scores divided twice, or not at all."""

import math
from typing import ClassVar

from regard.types import Tensor

from ..cause import ChartCause, register
from ..chart import Chart
from ..finding import Evidence
from ..patient import Patient

UNIFORM, SMALL, USUAL, LARGE, SURE = 0.95, 1.05, 0.3, 4.0, 0.5


@register
class ScaledTwice(ChartCause):
    """Scores are too small to tell keys apart."""

    name: ClassVar = "scaled twice"
    severity: ClassVar = "broken"
    soft: ClassVar = False
    explains: ClassVar = ("broad by design",)
    sign: ClassVar = (
        "a score grows by 1/D and less with q · k, where 1/√D is meant, while the numbers of q "
        "and k "
        "are as large as usual (root mean square above 0.3), and weights are uniform, U ≥ 0.95"
    )
    fix: ClassVar = (
        "Scale once, by 1/√D: not in the query and in the product, and with no temperature on top."
    )
    story: ClassVar = (
        "The square root is applied to the query and again inside the attention function, or a "
        "temperature divides what is divided already. At D = 64 the scores are eight times too "
        "small, and softmax sees no difference."
    )

    def see(self, chart: Chart, patient: Patient) -> Evidence | None:
        """The slope of scores on products."""
        slope = chart.slope
        if slope is None or chart.query is None or chart.key is None:
            return None
        width = chart.query.shape[-1]
        sizes = _sizes(chart.query, chart.key)
        if width < 2 or slope > SMALL / width or min(sizes) < USUAL:
            return None
        if not bool((chart.entropies >= UNIFORM).all()):
            return None
        return {"slope": slope, "1/√D": width**-0.5, "U": float(chart.entropies.mean())}


@register
class ScaleMissing(ChartCause):
    """Scores are so large that softmax is a choice, and has no slope left."""

    name: ClassVar = "scale missing"
    severity: ClassVar = "broken"
    explains: ClassVar = ("saturated",)
    sign: ClassVar = (
        "a score grows by 4/√D and more with q · k, vectors drawn by chance as large as q and k "
        "would have scores with a standard deviation of 4 and more, and at least half of the rows "
        "have a weight of 0.99 and more"
    )
    fix: ClassVar = "Divide scores by √D."
    story: ClassVar = (
        "The product of two vectors of D standard normal numbers has a standard deviation of √D. "
        "Without the division softmax is one-hot from the start, and most rows have no gradient. A "
        "slope of 1 is legitimate where queries are drawn as much smaller (T5): then nothing is "
        "saturated."
    )
    links: ClassVar = ("https://arxiv.org/abs/1706.03762",)

    def see(self, chart: Chart, patient: Patient) -> Evidence | None:
        """The slope, and what it does."""
        slope = chart.slope
        if slope is None or chart.query is None or chart.key is None:
            return None
        width = chart.query.shape[-1]
        sure = float(chart.certain.nan_to_num().mean())
        # q · k of D independent numbers each: its standard deviation is √D times their sizes.
        by_chance = slope * width**0.5 * math.prod(_sizes(chart.query, chart.key))
        if slope < LARGE * width**-0.5 or by_chance < LARGE or sure < SURE:
            return None
        told = {} if chart.ratio is None else {"ρ": chart.ratio}
        sizes = {"slope": slope, "1/√D": width**-0.5, "σ by chance": by_chance}
        return {**sizes, "rows on one key": sure, **told}


def _sizes(*vectors: Tensor) -> list[float]:
    """Root mean squares."""
    return [float(x.double().square().mean().sqrt()) for x in vectors]
