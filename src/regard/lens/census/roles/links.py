"""Heads that look from one sequence at another: alignments, in order, along the diagonal."""

from dataclasses import dataclass
from typing import ClassVar

import torch

from regard.types import Bool, Float, Tensor

from ...maps import Maps
from ..role import ROLES, Role, per_case

GARG = "https://arxiv.org/abs/1909.02074"


@dataclass(frozen=True)
class Aligned(Role):
    r"""The largest weight is on a token that gold links the query to.

    .. math:: F_1 = \frac{2 |A \cap G|}{|A| + |G'|}

    with the arg max links A of queries that have gold, and G′, one link for each of them. With
    ``by`` = 1 the row behind the token's own is taken: the step that reads a token instead of the
    one that predicts it (Chen et al. 2020).
    """

    by: int = 0

    title: ClassVar = "alignment"
    equation: ClassVar = "F₁ of arg maxⱼ α(i + by, j) with gold links"
    paper: ClassVar = GARG
    least: ClassVar = 0.5

    @property
    def name(self) -> str:
        """By the step that predicts a token, or that reads it."""
        return "alignment" if not self.by else f"alignment, step {self.by:+d}"

    def measure(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """Hits over queries with gold."""
        gold = maps.gold
        if gold is None or maps.kind != "cross":
            return None
        moved = torch.roll(gold, self.by, dims=-2)
        moved[:, : self.by] = False
        there = moved[:, None] & maps.seen
        hit = torch.gather(there, -1, maps.best.unsqueeze(-1)).squeeze(-1)
        return per_case(hit.to(maps.weights.dtype), there.any(dim=-1))

    def chance(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """One of the keys, whichever."""
        gold = maps.gold
        if gold is None or maps.kind != "cross":
            return None
        moved = torch.roll(gold, self.by, dims=-2)
        moved[:, : self.by] = False
        there = moved[:, None] & maps.seen
        return per_case((maps.uniform * there).sum(dim=-1), there.any(dim=-1))


@dataclass(frozen=True)
class Monotone(Role):
    """Where the largest weight is never goes back, and it goes somewhere.

    Over pairs of neighbouring queries, times how much of the keys is covered from first to last.
    """

    title: ClassVar = "monotone"
    equation: ClassVar = "share of i with arg max(i + 1) ≥ arg max(i), times the way it goes"
    paper: ClassVar = "https://arxiv.org/abs/1704.00784"
    least: ClassVar = 0.9

    def measure(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """Steps forward, the way, and how many steps."""
        if maps.kind != "cross":
            return None
        best = maps.best.double()
        both = maps.rows[..., 1:] & maps.rows[..., :-1]
        forward = (best[..., 1:] >= best[..., :-1]).double() * both
        low = best.masked_fill(~maps.rows, torch.inf).amin(dim=-1)
        high = best.masked_fill(~maps.rows, -torch.inf).amax(dim=-1)
        fewest = torch.minimum(maps.query.sizes, maps.key.sizes).view(-1, 1).double()
        way = ((high - low) / (fewest - 1).clamp(min=1)).clamp(0, 1)
        steps = both.sum(dim=-1).double()
        return torch.stack([forward.sum(dim=-1) * (way >= 0.5), steps], dim=-1)

    def chance(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """Any two of the keys: the second is no earlier in (K + 1) / 2K of all cases."""
        found = self.measure(maps)
        if found is not None:
            keys = maps.key.sizes.view(-1, 1).clamp(min=1)
            found[..., 0] = found[..., 1] * (keys + 1) / (2 * keys)
        return found


@dataclass(frozen=True)
class Diagonal(Role):
    """The weight lies along the diagonal of the map, from the first pair to the last."""

    title: ClassVar = "diagonal"
    equation: ClassVar = "1 − 2 Σⱼ α(i, j) |j / (K − 1) − i / (Q − 1)|"
    paper: ClassVar = "https://arxiv.org/abs/1710.08969"
    least: ClassVar = 0.9
    shortest: ClassVar = 4

    def measure(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """How near, of sequences that have a diagonal."""
        if maps.kind != "cross":
            return None
        sides = [side.sizes.view(-1, 1, 1, 1) for side in (maps.query, maps.key)]
        rows, columns = (torch.arange(n, device=maps.weights.device) for n in maps.offsets.shape)
        starts = [side.ends[0].view(-1, 1, 1, 1) for side in (maps.query, maps.key)]
        there = (rows[:, None] - starts[0]) / (sides[0] - 1).clamp(min=1)
        here = (columns - starts[1]) / (sides[1] - 1).clamp(min=1)
        far = (maps.weights * (here - there).abs() * maps.seen).sum(dim=-1)
        long = (torch.minimum(*sides) >= self.shortest).view(-1, 1, 1)
        return per_case(1 - 2 * far, maps.rows & long)


@dataclass(frozen=True)
class Coverage(Role):
    """Every key is the first choice of some query, where there are enough of them."""

    title: ClassVar = "coverage"
    equation: ClassVar = "keys that are some arg max / min(Q, K)"
    paper: ClassVar = "https://arxiv.org/abs/1601.04811"
    least: ClassVar = 0.9

    def measure(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """Different keys under the largest weights."""
        if maps.kind != "cross":
            return None
        chosen = torch.zeros(*maps.weights.shape[:2], maps.weights.shape[-1], dtype=torch.float64)
        chosen.scatter_add_(-1, maps.best, maps.rows.double())
        fewest = torch.minimum(maps.query.sizes, maps.key.sizes).view(-1, 1).double()
        return torch.stack(
            [(chosen > 0).sum(dim=-1).double(), fewest.expand_as(chosen[..., 0])], -1
        )

    def named(self, sums: Float[Tensor, "*B F"], chance: Float[Tensor, "*B"]) -> Bool[Tensor, "*B"]:
        """Nearly all, and more than chance: of many keys a few queries seldom choose one twice."""
        return super().named(sums, chance) & (self.score(sums) >= chance + 0.1)

    def chance(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """Q draws out of K."""
        found = self.measure(maps)
        if found is not None:
            keys, queries = (x.view(-1, 1).double() for x in (maps.key.sizes, maps.query.sizes))
            drawn = keys * (1 - (1 - 1 / keys.clamp(min=2)) ** queries)
            found[..., 0] = drawn.expand_as(found[..., 0])
        return found


ROLES.add("alignment", Aligned())
ROLES.add("alignment, step +1", Aligned(1))
ROLES.add("monotone", Monotone())
ROLES.add("diagonal", Diagonal())
ROLES.add("coverage", Coverage())
