"""Heads that look everywhere alike, or at the same places whatever they read."""

from dataclasses import dataclass
from typing import ClassVar

import torch

from regard.types import Bool, Float, Tensor

from ...maps import Maps
from ..role import ROLES, Role, per_case
from .positional import CLARK


@dataclass(frozen=True)
class Broad(Role):
    """The weights are all but equal: a bag of words."""

    title: ClassVar = "broad"
    equation: ClassVar = "U = mean H(αᵢ) / ln nᵢ"
    paper: ClassVar = CLARK
    least: ClassVar = 0.95

    def measure(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """Normalised entropy of rows that may see at least two keys."""
        if maps.kind == "gate":
            return None
        keys = maps.seen.sum(dim=-1)  # (B, H, Q)
        entropy = torch.special.entr(maps.weights.clamp(min=0)).sum(dim=-1)
        return per_case(entropy / keys.clamp(min=2).log(), maps.rows & (keys > 1))


@dataclass(frozen=True)
class Frozen(Role):
    """The same map for every input: nothing that is read matters.

    Of inputs of one length that stand in one batch.
    """

    title: ClassVar = "frozen"
    equation: ClassVar = "1 − mean ½ Σⱼ |α(i, j; x) − α(i, j; x′)|, x and x′ of one length"
    least: ClassVar = 0.98
    rows: ClassVar = 4

    def measure(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """Each input beside the next of its size in the batch."""
        batch, heads = maps.weights.shape[:2]
        if maps.kind == "gate":
            return None
        found = torch.zeros(batch, heads, 2, dtype=torch.float64)
        known: dict[tuple[int, int], int] = {}
        pairs = list(zip(maps.query.sizes.tolist(), maps.key.sizes.tolist(), strict=True))
        for one, size in enumerate(pairs):
            other = known.get(size)
            known[size] = one
            if other is None or size[1] < 2 or _same(maps, one, other):
                continue
            rows = maps.rows[one] & (maps.seen[one].sum(dim=-1) > 1)  # (H, Q)
            apart = 0.5 * (maps.weights[one] - maps.weights[other]).abs().sum(dim=-1)
            far = (apart * rows).sum(dim=-1) / rows.sum(dim=-1).clamp(min=1)
            found[one, :, 0], found[one, :, 1] = 1 - far.double(), 1
        return found

    def named(self, sums: Float[Tensor, "*B F"], chance: Float[Tensor, "*B"]) -> Bool[Tensor, "*B"]:
        """As alike as that."""
        return super().named(sums, chance)


def _same(maps: Maps, one: int, other: int) -> bool:
    """Whether two inputs are one and the same text."""
    return all(
        bool((side.ids[one] == side.ids[other])[side.real[one]].all())
        for side in (maps.query, maps.key)
    )


ROLES.add("broad", Broad())
ROLES.add("frozen", Frozen())
