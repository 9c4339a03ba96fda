"""Uniform attention by design: an average that is meant."""

from collections.abc import Iterator
from typing import ClassVar

from ..cause import Cause, register
from ..finding import Finding
from ..patient import Patient

UNIFORM = 0.95


@register
class BroadByDesign(Cause):
    """Heads near the input that look at everything alike."""

    name: ClassVar = "broad by design"
    severity: ClassVar = "normal"
    sign: ClassVar = "U ≥ 0.95 in a head of the first two modules, while others are not uniform"
    fix: ClassVar = "Nothing is wrong: a bag of words is something to know, too."
    story: ClassVar = (
        "Some heads of the first layers of trained models attend to all words alike. What they "
        "write "
        "is the mean of the sentence, and later layers use it."
    )
    links: ClassVar = ("https://arxiv.org/abs/1906.04341",)

    def look(self, patient: Patient) -> Iterator[Finding]:
        """Where not everything is."""
        if not any(bool((chart.entropies < UNIFORM).any()) for chart in patient.charts):
            return
        for chart in patient.charts[:2]:
            for head, entropy in enumerate(chart.entropies.tolist()):
                if entropy >= UNIFORM:
                    yield self.found({"head": head, "U": entropy}, chart.name)
