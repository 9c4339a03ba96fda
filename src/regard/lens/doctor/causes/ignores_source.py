"""A decoder that writes without looking."""

from collections.abc import Iterator
from typing import ClassVar

import torch

from ..cause import Cause, register
from ..finding import Finding
from ..patient import Patient

LEAST = 1e-3


@register
class IgnoresSource(Cause):
    """Another sentence's source makes no difference."""

    name: ClassVar = "decoder ignores the source"
    severity: ClassVar = "broken"
    explains: ClassVar = ("head unused", "sink", "too little data", "queries and keys do not learn")
    sign: ClassVar = (
        "with the sources of a batch swapped among its sentences no ln p moves by 0.001"
    )
    fix: ClassVar = (
        "Check that the cross attention's mask lets the source through; then drop words of the "
        "target in training, or feed the context into the output."
    )
    story: ClassVar = (
        "A decoder is a language model, and may do well as one. If its look at the source is "
        "masked, "
        "or its output projection is zero, it never learns better."
    )

    def look(self, patient: Patient) -> Iterator[Finding]:
        """Swap, and see."""
        far = moved(patient)
        if far is not None and far < LEAST:
            yield self.found({"ln p moves by": far})


def moved(patient: Patient) -> float | None:
    """By how much some ln p moves with another source; ``None`` without one."""
    scene = patient.scene
    if scene is None or "target" not in scene.sides or patient.logits is None or scene.size < 2:
        return None
    side = scene.sides["input"]
    order = torch.arange(scene.size).roll(1)
    if bool((side.ids[order] == side.ids).all()):
        return None
    before = patient.logits.log_softmax(dim=-1)
    after = patient.rerun(input=side.ids[order]).log_softmax(dim=-1)
    real = scene.sides["target"].real
    if real.shape != before.shape[:2]:
        return None
    return float((after - before)[real].abs().amax())
