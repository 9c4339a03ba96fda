"""Dropout that is on while nobody trains."""

from collections.abc import Iterator
from typing import ClassVar

from ..cause import Cause, register
from ..chart import Chart
from ..finding import Finding
from ..patient import Patient

SAME = 1e-6
LEAST, MOST = 0.005, 0.95


@register
class DropoutOn(Cause):
    """Two passes differ."""

    name: ClassVar = "dropout left on"
    severity: ClassVar = "suspicious"
    soft: ClassVar = False
    explains: ClassVar = ("softmax over the wrong axis",)
    sign: ClassVar = (
        "two passes over one batch differ by more than 10⁻⁶; of weights alone: zeros among keys "
        "that "
        "may be seen, and rows that sum to anything around 1"
    )
    fix: ClassVar = (
        "Call model.eval() before you look or measure, and model.train() before you train on."
    )
    story: ClassVar = (
        "In training a share of the weights is dropped and the others grow by 1/(1 − p). A map "
        "drawn "
        "then has holes that mean nothing, and a model measured then looks worse than it is."
    )

    def look(self, patient: Patient) -> Iterator[Finding]:
        """Twice if there is a model, else by the zeros."""
        if patient.differs is not None:
            if patient.differs > SAME:
                yield self.found({"two passes differ by": patient.differs})
            return
        for chart in patient.charts:
            zeros, off = _holes(chart)
            if LEAST < zeros < MOST and off > 1e-2:
                yield self.found({"zeros": zeros, "rows off by": off}, chart.name)


def _holes(chart: Chart) -> tuple[float, float]:
    """Share of exact zeros among what may be seen, and how far rows are from summing to 1."""
    seen = chart.seen & chart.rows.unsqueeze(-1)
    count = int(seen.sum())
    if not count:
        return 0.0, 0.0
    zeros = int(((chart.weights == 0) & seen).sum()) / count
    sums = chart.weights.double().sum(dim=-1)[chart.rows]
    mean = abs(float(sums.mean()) - 1)
    off = float((sums - 1).abs().mean())
    return zeros, off if mean < 0.25 and off > 2 * mean else 0.0
