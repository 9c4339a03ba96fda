"""Keys that are all the same."""

from collections.abc import Iterator
from typing import ClassVar

from regard.types import Tensor

from ..cause import Cause, register
from ..chart import Chart, residual_ratio
from ..finding import Evidence, Finding
from ..patient import Patient

ALIKE, SHUT = 0.05, 1e-2


@register
class KeysAlike(Cause):
    """Weights are uniform because there is nothing to tell keys apart by."""

    name: ClassVar = "keys alike"
    severity: ClassVar = "broken"
    explains: ClassVar = (
        "broad by design",
        "scaled twice",
        "head unused",
        "positions missing",
        "queries and keys do not learn",
        "query does not matter",
    )
    everywhere: ClassVar = True
    sign: ClassVar = (
        "‖K − 1k̄ᵀ‖ / ‖K‖ < 0.05 in a module whose weights are uniform, U ≥ 0.95; then, upwards: "
        "is a "
        "norm's gain zero, do keys grow more alike from layer to layer, are the inputs all one"
    )
    fix: ClassVar = "Look at what the module reads: its inputs are the same at every position."
    shut: ClassVar = (
        "Initialise the gain of the norm before it again: it is zero, so that all that passes is "
        "the shift."
    )
    smooth: ClassVar = (
        "Keep the residual path, or take fewer layers: without it attention averages everything "
        "into one vector."
    )
    story: ClassVar = (
        "Softmax can only tell apart what differs. Attention without a way around it is an "
        "average, "
        "and averages of averages are all the same: rank falls doubly exponentially with depth."
    )
    links: ClassVar = ("https://arxiv.org/abs/2103.03404",)

    def look(self, patient: Patient) -> Iterator[Finding]:
        """The first module where keys are alike, and why."""
        ratios: list[tuple[Chart, float]] = [
            (chart, residual_ratio(chart.key, chart.keys.real))
            for chart in patient.charts
            if chart.key is not None and chart.weights.shape[-1] > 2 and _projects(chart)
        ]
        for place, (chart, ratio) in enumerate(ratios):
            if ratio < ALIKE and bool((chart.entropies >= 0.95).all()):
                above = [one for _, one in ratios[:place]]
                yield self.found(*self._why(patient, chart, ratio, above))
                return

    def _why(
        self, patient: Patient, chart: Chart, ratio: float, above: list[float]
    ) -> tuple[Evidence, str]:
        told: dict[str, float | int | str] = {"keys differ by": ratio}
        for name, norm in patient.norms:
            gain = norm.weight
            assert isinstance(gain, Tensor)
            gain = gain.detach()
            if float(gain.abs().mean()) < SHUT:
                told["gain"] = float(gain.abs().mean())
                told["norm"] = name
                told["why"] = "a norm lets nothing through"
                return told, chart.name
        if above and above[0] > 2 * ALIKE:
            told["layers before"] = " → ".join(f"{one:.2g}" for one in above)
            told["why"] = "oversmoothing"
        else:
            told["why"] = "inputs are the same"
        return told, chart.name

    def found(self, evidence: Evidence, where: str = "", **more: object) -> Finding:
        """With the sentence for its reason."""
        fixes = {"a norm lets nothing through": self.shut, "oversmoothing": self.smooth}
        return Finding(
            self.severity, where, self.name, evidence, fixes.get(str(evidence["why"]), self.fix)
        )


def _projects(chart: Chart) -> bool:
    """Whether keys are made by a matrix that is not zero, as far as that is known."""
    key = chart.projections.get("key")
    return key is None or bool(key.weight.any())
