"""Heads that rest on a kind of token: the first, the end, punctuation, a sink, an outlier."""

from dataclasses import dataclass
from typing import ClassVar

import torch

from regard.types import Bool, Float, Tensor

from ...maps import Maps
from ..role import LEAST, ROLES, Role, per_case
from .positional import CLARK

SINKS = "https://arxiv.org/abs/2410.10781"


@dataclass(frozen=True)
class OfClass(Role):
    """The weight lies on tokens of one kind, for queries that are not of it themselves."""

    which: str

    title: ClassVar = "class"
    equation: ClassVar = "mean Σⱼ∈c α(i, j) over i ∉ c"
    paper: ClassVar = CLARK
    least: ClassVar = 0.6

    @property
    def name(self) -> str:
        """The kind of token."""
        return self.which

    def measure(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """Weight on the class."""
        there = maps.key.classes.get(self.which)
        if there is None:
            return None
        keys = there[:, None, None, :] & maps.seen
        own = maps.query.classes.get(self.which) if maps.kind == "self" else None
        outside = maps.rows if own is None else maps.rows & ~own[:, None]
        mass = (maps.weights * keys).sum(dim=-1)
        # A query that sees nothing else has no choice.
        return per_case(mass, outside & keys.any(dim=-1) & (maps.seen & ~keys).any(dim=-1))

    def named(self, sums: Float[Tensor, "*B F"], chance: Float[Tensor, "*B"]) -> Bool[Tensor, "*B"]:
        """A lot, and clearly more than there are such tokens."""
        return super().named(sums, chance) & (self.score(sums) >= chance + 0.2)


@dataclass(frozen=True)
class Sink(Role):
    """One key gets much of the weight of all queries that may see it, whichever they are.

    The mean over the queries of the column that gets most, in sequences of eight positions and
    more. Where values are known, ``note`` says whether the key's value is small, so that looking
    there is doing nothing, or whether it carries something.
    """

    title: ClassVar = "sink"
    equation: ClassVar = "maxⱼ Σᵢ α(i, j) / (n − j), the queries that may see j"
    paper: ClassVar = SINKS
    least: ClassVar = 0.3
    shortest: ClassVar = 8
    rows: ClassVar = 2
    idle: ClassVar = 0.5

    def measure(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """The heaviest column of every sentence, and how long its value is beside the others'."""
        if maps.kind not in ("self", "cross"):
            return None
        queries = maps.seen.sum(dim=-2)  # (B, H, K)
        means = (maps.weights * maps.seen).sum(dim=-2) / queries.clamp(min=1)
        asked = queries * 2 >= maps.rows.sum(dim=-1, keepdim=True)
        means = means.masked_fill(~asked, 0)
        heaviest, at = means.max(dim=-1)  # (B, H)
        long = (maps.key.sizes >= self.shortest).view(-1, 1) & (maps.query.sizes >= 4).view(-1, 1)
        long = long.expand_as(heaviest)
        ratio = self._ratio(maps, at)
        known = torch.isfinite(ratio) & long
        found = [heaviest * long, torch.where(known, ratio, 0.0), known, long]
        return torch.stack([part.double() for part in found], dim=-1)

    def _ratio(self, maps: Maps, at: Tensor) -> Float[Tensor, "B H"]:
        """The value of one key by the median of all."""
        if maps.value_sizes is None:
            return torch.full(at.shape, float("nan"), device=at.device)
        sizes = maps.value_sizes.masked_fill(~maps.key.real[:, None], float("nan"))
        one = torch.gather(sizes, -1, at.unsqueeze(-1)).squeeze(-1)
        return one / sizes.nanmedian(dim=-1).values.clamp(min=LEAST)

    def note(self, sums: Float[Tensor, " F"]) -> str:
        """No-op or not."""
        if not sums[2]:
            return ""
        ratio = float(sums[1] / sums[2])
        return f"{'no-op' if ratio <= self.idle else 'carries'}: value {ratio:.2f} of the median"


@dataclass(frozen=True)
class Outlier(Role):
    """The weight lies on keys far longer than usual, such as registers and artefacts of a ViT.

    In sequences long enough to tell what is usual.
    """

    title: ClassVar = "outlier patch"
    equation: ClassVar = "mean Σⱼ α(i, j) over ‖kⱼ‖ > median + 6 MAD"
    paper: ClassVar = "https://arxiv.org/abs/2309.16588"
    least: ClassVar = 0.3
    times: ClassVar = 6.0
    shortest: ClassVar = 16

    def measure(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """Weight on such keys, in inputs that have them."""
        if maps.key_sizes is None or maps.kind != "self":
            return None
        sizes = maps.key_sizes.masked_fill(~maps.key.real[:, None], float("nan"))
        middle = sizes.nanmedian(dim=-1, keepdim=True).values
        apart = (sizes - middle).abs().nanmedian(dim=-1, keepdim=True).values
        out = (sizes > middle + self.times * apart + 1e-6 * middle)[:, :, None] & maps.seen
        keys = maps.seen.sum(dim=-1)
        few = (out.sum(dim=-1) * 5 <= keys) & (keys >= self.shortest)
        mass = (maps.weights * out).sum(dim=-1)
        return per_case(mass, maps.rows & out.any(dim=-1) & few)


for _which in ("first", "end", "separator", "punctuation"):
    ROLES.add(_which, OfClass(_which))
ROLES.add("sink", Sink())
ROLES.add("outlier patch", Outlier())
