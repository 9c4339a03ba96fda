"""A model that was not trained."""

from collections.abc import Iterator
from typing import ClassVar

import torch

from regard.types import Tensor

from ..cause import SOFT, Cause, register
from ..finding import Evidence, Finding
from ..patient import Patient

NEAR, MOVED = 0.9, 0.02


@register
class AtInitialisation(Cause):
    """Nothing was learned yet."""

    name: ClassVar = "at initialisation"
    severity: ClassVar = "normal"
    explains: ClassVar = (SOFT,)
    sign: ClassVar = (
        "no update was made; or all gains of norms are exactly 1 and their shifts exactly 0, as "
        "nothing that was trained is; or the loss is above 0.9 of that of guessing by frequency "
        "while the weights' entropy is within 0.02 of where it began"
    )
    fix: ClassVar = "Nothing is wrong: train on, with a warm-up and a schedule, then look again."
    story: ClassVar = (
        "Before training scores are small, so weights are all but equal in every head. A uniform "
        "map "
        "in the first hundreds of updates is what a healthy run looks like."
    )

    def look(self, patient: Patient) -> Iterator[Finding]:
        """By steps, by norms, by loss."""
        evidence = _steps(patient) or _norms(patient) or _loss(patient)
        if evidence is not None:
            yield self.found(evidence)


def _steps(patient: Patient) -> Evidence | None:
    return {"updates": 0} if patient.steps == 0 else None


def _norms(patient: Patient) -> Evidence | None:
    """Gains and shifts as they are drawn."""
    if patient.steps:
        return None
    gains = [norm for _, norm in patient.norms]
    shifts = [norm.bias for norm in gains if isinstance(getattr(norm, "bias", None), Tensor)]
    # Some families add one to a gain that begins at 0.
    drawn = [
        isinstance(norm.weight, Tensor) and bool((norm.weight == norm.weight.flatten()[0]).all())
        for norm in gains
    ]
    still = all(drawn) and all(isinstance(one, Tensor) and not one.any() for one in shifts)
    return {"norms with gain 1 and shift 0": len(gains)} if gains and still else None


def _loss(patient: Patient) -> Evidence | None:
    """No better than guessing, and the maps where they began."""
    scene, loss = patient.scene, patient.loss_now
    if scene is None or scene.wanted is None or loss is None:
        return None
    wanted = scene.wanted[scene.wanted >= 0]
    if len(wanted) < 8 or int(wanted.max()) > 10**6:
        return None
    share = torch.bincount(wanted).double() / len(wanted)
    guessing = float(torch.special.entr(share).sum())
    known = [line["entropy"] for line in patient.history if "entropy" in line]
    still = not known or abs(known[-1] - known[0]) <= MOVED
    if loss < NEAR * guessing or not still or not known:
        return None
    return {"loss": loss, "guessing by frequency": guessing}
