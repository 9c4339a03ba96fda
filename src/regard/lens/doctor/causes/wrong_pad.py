"""Padding that is no padding, or words that are."""

from collections.abc import Iterator
from typing import ClassVar

import torch

from regard.types import Bool, Tensor

from ..cause import Cause, register
from ..chart import Chart
from ..finding import Finding
from ..patient import Patient

MOST = 0.5
"""Rows that end in the same token again and again."""


@register
class WrongPad(Cause):
    """Holes in the middle of sequences, or a constant end that everybody looks at."""

    name: ClassVar = "wrong padding id"
    severity: ClassVar = "broken"
    soft: ClassVar = False
    explains: ClassVar = ("padding leaks",)
    sign: ClassVar = (
        "a key that nobody may see stands between two that may be seen; or more than half of the "
        "rows end in one token twice and more, in runs of different lengths, which may be seen"
    )
    fix: ClassVar = (
        "Set pad_id to the number the batch was padded with, and give padding a number of its "
        "own, not that of <eos>."
    )
    story: ClassVar = (
        "The batch is padded with one number and the mask is made from another, or a tokeniser has "
        "no padding and borrows the end of the sentence. Then real words vanish, or padding is "
        "read."
    )

    def look(self, patient: Patient) -> Iterator[Finding]:
        """By what is hidden, then by what stands at the ends."""
        for chart in patient.charts:
            holes = _holes(chart)
            if holes:
                yield self.found({"hidden keys inside sequences": holes}, chart.name)
                return
        scene = patient.scene
        for role, side in () if scene is None else scene.sides.items():
            # Padding before a sentence is none that could be taken for its end.
            ends = None if side.there is not None else _constant_ends(side.ids, side.real)
            if ends is not None and _seen_by(patient, side.ids):
                yield self.found({"side": role, "rows that end alike": ends})
                return


def _holes(chart: Chart) -> int:
    """Keys that no query sees, between keys that are seen; in sequences without structure."""
    if chart.allowed is None or chart.kind == "pool":
        return 0
    seen = chart.allowed.expand(chart.weights.shape).any(dim=-2).any(dim=1)  # (B, K)
    count = seen.sum(dim=-1, keepdim=True)
    before, behind = seen.cumsum(dim=-1) > 0, seen.flip(-1).cumsum(dim=-1).flip(-1) > 0
    return int(((~seen) & before & behind & (count > 0)).sum())


def _constant_ends(ids: Tensor, real: Bool[Tensor, "B N"]) -> float | None:
    """Share of rows that end in a run of one token, the same in all, of several lengths."""
    lengths = real.sum(dim=-1).clamp(min=1)
    last = ids.gather(1, (lengths - 1).unsqueeze(1))  # (B, 1)
    places = torch.arange(ids.shape[1], device=ids.device)
    same = (ids == last) | (places >= lengths.unsqueeze(1))
    run = same.flip(1).cumprod(dim=1).sum(dim=1) - (ids.shape[1] - lengths)
    common = last.flatten().mode().values
    ends = (run >= 2) & (last.flatten() == common)
    share = float(ends.double().mean())
    several = len(set(run[ends].tolist())) > 1
    return share if share > MOST and several and len(ids) > 2 else None


def _seen_by(patient: Patient, ids: Tensor) -> bool:
    """Whether some module looks at the last column."""
    own = [c for c in patient.charts if c.key_side is not None and c.key_side.ids is ids]
    return any(bool(c.seen[..., -1].any()) for c in own) or not own
