"""A decoder that reads what it is to predict."""

from collections.abc import Iterator
from typing import ClassVar

import torch

from ..cause import Cause, register
from ..finding import Finding
from ..patient import Patient
from .mask_inverted import mass_on

MASS, MOVE = 1e-6, 1e-5


@register
class CausalLeak(Cause):
    """A later token changes what is said before it."""

    name: ClassVar = "causal leak"
    severity: ClassVar = "broken"
    soft: ClassVar = False
    sign: ClassVar = (
        "a module that ought not to look ahead puts more than 10⁻⁶ of its weight there, or another "
        "last token moves logits before it by more than 10⁻⁵ of their size"
    )
    fix: ClassVar = (
        'Give self attention of the decoder mask="causal"; the loss of a model that reads its '
        "targets is too good to be true."
    )
    story: ClassVar = (
        "Training shows a decoder the whole target at once. Without a causal mask it copies the "
        "next "
        "word from its own input: the loss falls to nothing, and what it writes alone is noise."
    )
    links: ClassVar = ("https://github.com/huggingface/transformers/pull/45811",)

    def look(self, patient: Patient) -> Iterator[Finding]:
        """By weights, and by another run."""
        far = moved(patient)
        told = {} if far is None else {"earlier logits move by": far}
        seen = False
        for chart in patient.charts:
            if not chart.causal:
                continue
            mass = mass_on(chart, chart.future.expand(chart.weights.shape))
            if mass is not None and mass > MASS and (far is None or far > MOVE):
                seen = True
                yield self.found({"on the future": mass, **told}, chart.name)
        if far is not None and far > MOVE and not seen:
            yield self.found(told)


def moved(patient: Patient) -> float | None:
    """How far logits move when the last token changes, before it."""
    scene = patient.scene
    if scene is None or not scene.causal or patient.logits is None:
        return None
    role, base = scene.written, patient.logits
    side = scene.sides[role]
    if side.ids.shape[1] < 2 or base.shape[1] != side.ids.shape[1]:
        return None
    last = side.ends[1]
    rows = torch.arange(len(side.ids))
    changed = side.ids.clone()
    changed[rows, last] = side.ids[rows, 0]
    changed = torch.where(changed == side.ids, torch.roll(side.ids, 1, dims=1), changed)
    unchanged = side.ids.clone()
    unchanged[rows, last] = changed[rows, last]
    if bool((unchanged == side.ids).all()):
        return None
    after = patient.rerun(**{role: unchanged})
    before = side.real & (torch.arange(side.ids.shape[1]) < last.unsqueeze(1))
    if not before.any():
        return None
    apart = (after - base)[before].abs().amax()
    return float(apart / base[before].abs().amax().clamp(min=1e-12))
