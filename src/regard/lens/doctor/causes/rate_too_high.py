"""A learning rate that is too high."""

from collections.abc import Iterator
from typing import ClassVar

from ..cause import Cause, register
from ..finding import Finding
from ..patient import Patient

UPDATE, TIMES = 0.03, 10.0


@register
class RateTooHigh(Cause):
    """Parameters move by more than they can take."""

    name: ClassVar = "rate too high"
    severity: ClassVar = "suspicious"
    explains: ClassVar = ("saturated",)
    sign: ClassVar = (
        "an update is more than 0.03 of its parameters' size after the first tenth of the run, or "
        "the length of the gradient is 10 times its median and entropy falls"
    )
    fix: ClassVar = "Divide the rate by three, or warm up longer."
    story: ClassVar = (
        "Scores are products of two learned matrices, so attention feels a high rate first: "
        "entropy "
        "falls, gradients jump, and a loss that was falling stands or rises."
    )

    def look(self, patient: Patient) -> Iterator[Finding]:
        """By the lines behind the first tenth."""
        lines = list(patient.history)
        late = lines[len(lines) // 10 :]
        updates = [line["update_ratio"] for line in late if line.get("update_ratio") is not None]
        if len(updates) >= 3:
            middle = sorted(updates)[len(updates) // 2]
            if middle > UPDATE:
                yield self.found({"update / weight": middle})
                return
        norms = [line["gradient_norm"] for line in late if line.get("gradient_norm") is not None]
        entropies = [line["entropy"] for line in late if line.get("entropy") is not None]
        if len(norms) < 5 or len(entropies) < 2:
            return
        middle = sorted(norms)[len(norms) // 2]
        last = max(norms[-3:])
        if last > TIMES * middle and entropies[-1] < 0.9 * entropies[0]:
            yield self.found({"gradient / median": last / middle, "entropy": entropies[-1]})
