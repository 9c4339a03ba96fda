"""Heads that look by which tokens stand there: the same one, what followed it, the rarest."""

from dataclasses import dataclass
from typing import ClassVar

import torch

from regard.types import Bool, Float, Tensor

from ...maps import Maps
from ..role import ROLES, Role, per_case
from .positional import VOITA

INDUCTION = "https://transformer-circuits.pub/2021/framework/index.html"


@dataclass(frozen=True)
class Duplicate(Role):
    """A token looks at where it stands, or stood, another time."""

    title: ClassVar = "duplicate token"
    equation: ClassVar = "Σⱼ α(i, j) over j ≠ i with xⱼ = xᵢ"
    paper: ClassVar = "https://arxiv.org/abs/2211.00593"
    least: ClassVar = 0.4
    times: ClassVar = 5.0
    """By so many the score is above chance."""

    def measure(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """Over queries that have another of their kind in sight."""
        if maps.kind != "self" or maps.query.grid is not None:
            return None
        ids = maps.query.ids
        same = (ids[:, :, None] == ids[:, None, :]) & (maps.offsets != 0)
        there = same[:, None] & maps.seen
        return per_case((maps.weights * there).sum(dim=-1), there.any(dim=-1))

    def named(self, sums: Float[Tensor, "*B F"], chance: Float[Tensor, "*B"]) -> Bool[Tensor, "*B"]:
        """Often, and far more often than chance; where that is large, as often as can be."""
        wanted = (self.times * chance).clamp(max=0.9)
        return super().named(sums, chance) & (self.score(sums) >= wanted)


@dataclass(frozen=True)
class Induction(Role):
    """A token looks at what followed it the time before: the head that continues a repetition.

    In an encoder either side counts; the key right behind the query itself does not.
    """

    title: ClassVar = "induction"
    equation: ClassVar = "Σⱼ α(i, j) over j ≠ i + 1 with xⱼ₋₁ = xᵢ"
    paper: ClassVar = INDUCTION
    least: ClassVar = 0.4

    def measure(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """Over queries that stood somewhere else in sight, with something behind them."""
        if maps.kind != "self" or maps.query.grid is not None:
            return None
        ids = maps.query.ids
        before = torch.roll(ids, 1, dims=-1)  # what stands before each key
        follows = (ids[:, :, None] == before[:, None, :]) & (maps.offsets != 1)
        follows[:, :, 0] = False
        there = follows[:, None] & maps.seen
        return per_case((maps.weights * there).sum(dim=-1), there.any(dim=-1))

    def named(self, sums: Float[Tensor, "*B F"], chance: Float[Tensor, "*B"]) -> Bool[Tensor, "*B"]:
        """Often, and more often than chance."""
        return super().named(sums, chance) & (self.score(sums) >= 2 * chance)


@dataclass(frozen=True)
class Rare(Role):
    """The largest weight is on the rarest token of the sentence."""

    title: ClassVar = "rare word"
    equation: ClassVar = "share of rows with arg max at the rarest token of the sentence"
    paper: ClassVar = VOITA
    least: ClassVar = 0.5
    times: ClassVar = 2.0

    def measure(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """Over rows that may see it."""
        rarity = maps.key.rarity
        if rarity is None or maps.kind == "gate":
            return None
        rarest = rarity.masked_fill(~maps.key.real, -torch.inf).argmax(dim=-1)  # (B,)
        hit = maps.best == rarest.view(-1, 1, 1)
        at = rarest.view(-1, 1, 1, 1).expand(*maps.seen.shape[:-1], 1)
        sees = torch.gather(maps.seen, -1, at).squeeze(-1) & (maps.seen.sum(dim=-1) > 1)
        return per_case(hit.to(maps.weights.dtype), maps.rows & sees)

    def chance(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """One of all keys that are seen."""
        found = self.measure(maps)
        if found is None:
            return None
        share = 1 / maps.seen.sum(dim=-1).clamp(min=1)
        rarity = maps.key.rarity
        assert rarity is not None
        rarest = rarity.masked_fill(~maps.key.real, -torch.inf).argmax(dim=-1)
        at = rarest.view(-1, 1, 1, 1).expand(*maps.seen.shape[:-1], 1)
        sees = torch.gather(maps.seen, -1, at).squeeze(-1) & (maps.seen.sum(dim=-1) > 1)
        return per_case(share, maps.rows & sees)

    def named(self, sums: Float[Tensor, "*B F"], chance: Float[Tensor, "*B"]) -> Bool[Tensor, "*B"]:
        """Often, and twice as often as chance."""
        return super().named(sums, chance) & (self.score(sums) >= self.times * chance)


ROLES.add("duplicate token", Duplicate())
ROLES.add("induction", Induction())
ROLES.add("rare word", Rare())
