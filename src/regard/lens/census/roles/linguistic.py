"""Heads that follow what a grammar says: one word's head, one part of speech's another."""

from dataclasses import dataclass
from typing import ClassVar

import torch

from regard.types import Bool, Float, Tensor

from ...maps import Maps
from ..role import LEAST, ROLES, Role
from .positional import FARTHEST, VOITA


@dataclass(frozen=True)
class Relation(Role):
    """The largest weight is on the word that the query is bound to, by a relation with gold.

    Many relations hold between neighbours: the name is given where the head does better, by a
    tenth, than the best fixed distance. The sums hold the hits of the head, those of each distance
    and the cases.
    """

    which: str

    title: ClassVar = "relation"
    equation: ClassVar = "accuracy of arg max − that of the best fixed distance"
    paper: ClassVar = VOITA
    least: ClassVar = 0.1
    rows: ClassVar = 20

    @property
    def name(self) -> str:
        """The relation."""
        return self.which

    def measure(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """Hits, and those of every fixed distance."""
        gold = maps.query.relations.get(self.which)
        if gold is None or maps.kind != "self":
            return None
        cases = ((gold >= 0) & maps.query.real)[:, None]  # (B, 1, Q)
        cases = cases & torch.gather(
            maps.seen, -1, gold.clamp(min=0)[:, None, :, None].expand(*maps.seen.shape[:-1], 1)
        ).squeeze(-1)
        hits = (maps.best == gold[:, None]) & cases
        places = torch.arange(gold.shape[-1], device=gold.device)
        near = range(-FARTHEST, FARTHEST + 1)
        fixed = [((gold - places == by)[:, None] & cases).sum(dim=-1) for by in near]
        return torch.stack([hits.sum(dim=-1), *fixed, cases.sum(dim=-1)], dim=-1).double()

    def score(self, sums: Float[Tensor, "*B F"]) -> Float[Tensor, "*B"]:
        """Accuracy above the best fixed distance's."""
        cases = sums[..., -1].clamp(min=LEAST)
        return sums[..., 0] / cases - sums[..., 1:-1].amax(dim=-1) / cases

    def note(self, sums: Float[Tensor, " F"]) -> str:
        """Both accuracies."""
        cases = sums[-1].clamp(min=LEAST)
        own, fixed = float(sums[0] / cases), float(sums[1:-1].max() / cases)
        return f"right in {100 * own:.0f} %, the best fixed distance in {100 * fixed:.0f} %"


@dataclass(frozen=True)
class TagToTag(Role):
    """Which part of speech is looked at depends on which looks.

    Mutual information between the tag of the query and the tag under its largest weight, in nats,
    beside what the same rows give when each looks at one of the keys that it may see, by chance: a
    causal mask alone makes early words look at their like. Named where none of 100 draws gives as
    much. The first n² sums are a table of tag pairs, then come as many for every draw.
    """

    title: ClassVar = "part of speech"
    equation: ClassVar = "I(tag(i); tag(arg maxⱼ α(i, j))) − its mean over draws"
    paper: ClassVar = "https://arxiv.org/abs/1906.04284"
    least: ClassVar = 0.05
    draws: ClassVar = 100
    per_sentence: ClassVar = False
    most: ClassVar = 16
    """Tags that are told apart."""

    def measure(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """A table of pairs as it is, and 100 of chance."""
        tags, there = maps.query.tags, maps.key.tags
        if tags is None or there is None or maps.kind != "self":
            return None
        heads = maps.weights.shape[1]
        looked = torch.gather(there[:, None].expand(-1, heads, -1), -1, maps.best)  # (B, H, Q)
        cases = maps.rows & (tags >= 0)[:, None] & (looked >= 0) & (maps.seen.sum(dim=-1) > 1)
        own = tags[:, None].expand_as(looked)
        tables = [self._table(own, looked, cases)]
        order = maps.seen.to(torch.int8).argsort(dim=-1, descending=True, stable=True)
        keys = maps.seen.sum(dim=-1, keepdim=True)  # those come first in the order
        generator = torch.Generator().manual_seed(0)
        for _ in range(self.draws):
            place = (torch.rand(keys.shape, generator=generator) * keys).long()
            drawn = torch.gather(order, -1, place.clamp(max=order.shape[-1] - 1)).squeeze(-1)
            other = torch.gather(there[:, None].expand(-1, heads, -1), -1, drawn)
            tables.append(self._table(own, other, cases))
        count = cases.sum(dim=-1, keepdim=True).double()
        return torch.cat([*tables, count], dim=-1)

    def score(self, sums: Float[Tensor, "*B F"]) -> Float[Tensor, "*B"]:
        """Above the mean of the draws."""
        found = self._information(sums)
        return found[..., 0] - found[..., 1:].mean(dim=-1)

    def named(self, sums: Float[Tensor, "*B F"], chance: Float[Tensor, "*B"]) -> Bool[Tensor, "*B"]:
        """More than every draw: p < 0.01."""
        found = self._information(sums)
        clear = found[..., 0] > found[..., 1:].amax(dim=-1)
        return clear & super().named(sums, chance)

    def chance(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """Uniform weights have no largest one, and nothing to tell."""
        found = self.measure(maps.by_chance())
        return None if found is None else torch.zeros_like(found)

    def _table(self, own: Tensor, looked: Tensor, cases: Tensor) -> Float[Tensor, "B H F"]:
        pair = own.clamp(0, self.most - 1) * self.most + looked.clamp(0, self.most - 1)
        table = torch.zeros(*pair.shape[:2], self.most**2, dtype=torch.float64)
        return table.scatter_add_(-1, pair, cases.double())

    def _information(self, sums: Float[Tensor, "*B F"]) -> Float[Tensor, "*B R"]:
        """Mutual information of every table."""
        tables = sums[..., :-1].unflatten(-1, (-1, self.most, self.most))
        joint = tables / tables.sum(dim=(-2, -1), keepdim=True).clamp(min=LEAST)
        rows, columns = joint.sum(dim=-1), joint.sum(dim=-2)
        inside = torch.special.entr(joint).sum(dim=(-2, -1))
        sides = torch.special.entr(rows).sum(dim=-1) + torch.special.entr(columns).sum(dim=-1)
        return sides - inside


ROLES.add("part of speech", TagToTag())
