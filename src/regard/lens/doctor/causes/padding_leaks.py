"""Padding that is looked at."""

from collections.abc import Iterator
from typing import ClassVar

import torch

from ..cause import Cause, register
from ..finding import Finding
from ..patient import Patient
from .mask_inverted import mass_on

MASS, MOVE = 1e-6, 1e-5


@register
class PaddingLeaks(Cause):
    """What stands in the padding changes what is said of the text."""

    name: ClassVar = "padding leaks"
    severity: ClassVar = "broken"
    soft: ClassVar = False
    explains: ClassVar = ("positions missing",)
    sign: ClassVar = (
        "real queries put more than 10⁻⁶ of their weight on padding, and other tokens in the "
        "padding "
        "move an output of the text by more than 10⁻⁵ of its size"
    )
    fix: ClassVar = "Pass the lengths: mask=masks.padding(lengths), or attention_mask."
    story: ClassVar = (
        "Without a mask every sentence also reads the padding of its batch, so its result depends "
        "on which sentences stand beside it. It is worst for short ones, and invisible in a batch "
        "of one."
    )
    links: ClassVar = ("https://github.com/facebookresearch/esm/issues/299",)

    def look(self, patient: Patient) -> Iterator[Finding]:
        """By weights, and by another run."""
        far = moved(patient)
        for chart in patient.charts:
            mass = mass_on(chart, chart.padding.expand(chart.weights.shape))
            if mass is not None and mass > MASS and (far is None or far > MOVE):
                told = {} if far is None else {"outputs move by": far}
                yield self.found({"on padding": mass, **told}, chart.name)


def moved(patient: Patient) -> float | None:
    """How far outputs move with other padding; ``None`` without a model or padding."""
    scene = patient.scene
    if scene is None or patient.logits is None:
        return None
    base = patient.logits
    changed, some = {}, False
    for role, side in scene.sides.items():
        padding = ~side.real
        some = some or bool(padding.any())
        other = torch.where(padding, side.ids[:, :1].expand_as(side.ids), side.ids)
        changed[role] = other
    if not some:
        return None
    real = scene.sides[scene.written].real
    after = patient.rerun(**changed)
    if real.shape == base.shape[:2]:
        base, after = base[real], after[real]
    return float((after - base).abs().amax() / base.abs().amax().clamp(min=1e-12))
