"""A model that does not know where anything stands."""

from collections.abc import Iterator
from typing import ClassVar

import torch

from regard.types import Tensor

from ...reading import maps_of
from ..cause import Cause, register
from ..chart import Chart
from ..finding import Finding
from ..patient import Patient

SAME, FLAT = 1e-5, 1e-9


@register
class PositionsMissing(Cause):
    """One token twice in a sentence is looked at alike, wherever it stands."""

    name: ClassVar = "positions missing"
    severity: ClassVar = "suspicious"
    soft: ClassVar = False
    sign: ClassVar = (
        "in the first self attention the scores of two places that hold the same token are "
        "equal, to "
        "10⁻⁵ of the spread, for every query"
    )
    fix: ClassVar = (
        'Add positions to the embedding, "sinusoidal" or "learned", or to the scores, "rotary" '
        'or "alibi".'
    )
    story: ClassVar = (
        "Attention knows no order: permute what it reads and its result is permuted. Without "
        "positions a sentence is a bag of words, and scores of equal words are equal."
    )

    def look(self, patient: Patient) -> Iterator[Finding]:
        """With a token written twice, where there is a model; else where one stands twice."""
        found = measured(patient)
        if found is not None and found[1] <= SAME:
            yield self.found({"scores of equal tokens differ by": found[1]}, found[0])


def measured(patient: Patient) -> tuple[str, float] | None:
    """The first self attention, and how far scores of equal tokens are apart in it."""
    first = next((chart for chart in patient.charts if _fits(chart)), None)
    if first is None:
        return None
    scene = patient.scene
    if scene is None or patient.model is None:
        apart = _apart(first.scores, first.seen, first.keys.ids)
    else:
        role = scene.written if first.causal else "input"
        ids = scene.sides[role].ids.clone()
        ids[:, 2] = ids[:, 1]
        record = patient.recorded(**{role: ids})
        every = maps_of(record, scene, force=True)
        again = next((one for one in every if one.name == first.name), None)
        apart = None if again is None else _apart(again.scores, again.seen, ids)
    return None if apart is None else (first.name, apart)


def _fits(chart: Chart) -> bool:
    return (
        chart.kind == "self"
        and chart.scores is not None
        and chart.weights.shape[-1] > 3
        and chart.key_side is not None
    )


def _apart(scores: Tensor | None, seen: Tensor, ids: Tensor) -> float | None:
    """How far scores of two places with one token are apart, by the spread of all."""
    if scores is None:
        return None
    same = (ids[:, :, None] == ids[:, None, :]).triu(1)
    where = same.nonzero()[:64]
    if not len(where):
        return None
    batch, one, other = where.unbind(dim=1)
    columns = scores.transpose(-1, -2).double()  # (B, H, K, Q)
    both = (seen.transpose(-1, -2)[batch, :, one]) & (seen.transpose(-1, -2)[batch, :, other])
    if not both.any():
        return None
    apart = (columns[batch, :, one] - columns[batch, :, other]).abs()[both]
    spread = _spread(scores.double(), seen)
    if not bool(torch.isfinite(spread)) or float(spread) < FLAT:
        return None  # all keys are alike to every query: nothing can be told from that
    return float(apart.amax() / spread)


def _spread(scores: Tensor, seen: Tensor) -> Tensor:
    """σ: how far the scores of a row lie apart, root mean square."""
    seen = seen.expand(scores.shape)
    held = scores.masked_fill(~seen, 0)
    mean = held.sum(dim=-1, keepdim=True) / seen.sum(dim=-1, keepdim=True).clamp(min=1)
    return (scores - mean)[seen].square().mean().sqrt()
