"""Weights that are on one key, and stay there."""

from collections.abc import Iterator
from typing import ClassVar

from ..cause import Cause, register
from ..finding import Finding
from ..patient import Patient

OPEN, STILL, HALF, TWICE, WITHIN = 0.02, 0.1, 0.5, 2.0, 500


@register
class Saturated(Cause):
    """Entropy collapse: rows on one key, and no gradient to leave it."""

    name: ClassVar = "saturated"
    severity: ClassVar = "suspicious"
    explains: ClassVar = ("sink", "head unused")
    sign: ClassVar = (
        "the mean of 1 − Σα² is below 0.02 in every head of a module and ρ below 0.1, where it is "
        "known; in a history: entropy halves within 500 updates while the largest score doubles"
    )
    fix: ClassVar = (
        "Lower the rate or warm up longer; normalise queries and keys, or bound the spectral "
        "norm of W_q W_kᵀ."
    )
    story: ClassVar = (
        "Scores grow with the product of two matrices, both of which grow. Once softmax is one-hot "
        "nothing pulls it back, and the loss jumps: entropy collapse."
    )
    links: ClassVar = ("https://arxiv.org/abs/2303.06296",)

    def look(self, patient: Patient) -> Iterator[Finding]:
        """Now, or on the way."""
        told = _collapse(patient)
        if told is not None:
            yield self.found(told, severity="broken")
            return
        for chart in patient.charts:
            openness = chart.openness
            if not bool((openness < OPEN).all()):
                continue
            if chart.ratio is not None and chart.ratio >= STILL:
                continue
            known = {} if chart.ratio is None else {"ρ": chart.ratio}
            yield self.found({"1 − Σα²": float(openness.mean()), **known}, chart.name)


def _collapse(patient: Patient) -> dict[str, float | int | str] | None:
    """The sharpest fall of entropy in 500 updates that goes with a rise of the largest score."""
    lines = [line for line in patient.history if "entropy" in line and "largest_score" in line]
    for place, late in enumerate(lines):
        for early in lines[:place]:
            if late["step"] - early["step"] > WITHIN or early["entropy"] < 0.05:
                continue
            fell = late["entropy"] / early["entropy"]
            rose = late["largest_score"] / max(early["largest_score"], 1e-12)
            if fell <= HALF and rose >= TWICE:
                return {"step": late["step"], "entropy fell to": fell, "scores rose by": rose}
    return None
