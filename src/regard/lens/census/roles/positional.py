"""Heads that look by where a key stands: at a fixed distance, or near."""

from dataclasses import dataclass
from typing import ClassVar

import torch

from regard.types import Bool, Float, Tensor

from ...maps import Maps
from ..role import LEAST, ROLES, Role, per_case

CLARK = "https://arxiv.org/abs/1906.04341"
VOITA = "https://arxiv.org/abs/1905.09418"
FARTHEST = 8
"""Distances that are tried one by one."""
NAMES = {0: "self", -1: "previous", 1: "next"}


@dataclass(frozen=True)
class Shift(Role):
    r"""Every query looks at the key a fixed number of positions away.

    Keys before the query have a negative distance: ``previous`` is −1, ``next`` is +1. A head is
    named by its mean weight there (Clark et al. 2019), or by how often its largest weight is there
    (Voita et al. 2019).
    """

    by: int = 0

    title: ClassVar = "shift"
    equation: ClassVar = "mean α(i, i + k); or the share of rows with arg max at i + k"
    paper: ClassVar = CLARK
    least: ClassVar = 0.5
    often: ClassVar = 0.9

    @property
    def name(self) -> str:
        """In words where it has one: a signed number otherwise."""
        return NAMES.get(self.by, f"shift {self.by:+d}")

    def measure(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """Weight and arg max at the distance, over queries that have such a key."""
        if (
            maps.kind != "self"
            or maps.query.grid is not None
            or abs(self.by) >= maps.offsets.shape[0]
        ):
            return None
        there = maps.seen & (maps.offsets == self.by)
        several = maps.seen.sum(dim=-1) > 1
        at = there.to(maps.weights.dtype)
        first = torch.gather(at, -1, maps.best.unsqueeze(-1)).squeeze(-1)
        mass = (maps.weights * at).sum(dim=-1)
        return per_case(mass, there.any(dim=-1) & several, first)

    def named(self, sums: Float[Tensor, "*B F"], chance: Float[Tensor, "*B"]) -> Bool[Tensor, "*B"]:
        """By mean weight, or by arg max."""
        often = sums[..., 1] / sums[..., -1].clamp(min=LEAST)
        return ((self.score(sums) >= self.least) | (often >= self.often)) & self.enough(sums)

    def chance(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """Uniform weights have no largest one: the share of keys."""
        found = self.measure(maps.by_chance())
        if found is not None:
            found[..., 1] = found[..., 0]
        return found

    def note(self, sums: Float[Tensor, " F"]) -> str:
        """How often the largest weight is there."""
        return f"arg max there in {100 * float(sums[1] / sums[-1]):.0f} % of rows"


@dataclass(frozen=True)
class Shift2D(Role):
    """Every patch of a picture looks at the patch a fixed number of rows and columns away."""

    down: int
    right: int

    title: ClassVar = "patch shift"
    equation: ClassVar = "mean α(i, i + (dy, dx)) on the grid of patches"
    paper: ClassVar = "https://arxiv.org/abs/1911.03584"
    least: ClassVar = 0.5

    @property
    def name(self) -> str:
        """The distance down and to the right."""
        return f"patch shift {self.down:+d},{self.right:+d}"

    def measure(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """Weight at the distance; what stands before the patches, such as a class token, is "
        "none."""
        grid = maps.query.grid
        if maps.kind != "self" or grid is None:
            return None
        rows, columns = grid
        extra = maps.weights.shape[-1] - rows * columns
        places = torch.arange(rows * columns, device=maps.weights.device)
        y, x = places // columns, places % columns
        same = (y - y[:, None] == self.down) & (x - x[:, None] == self.right)  # (P, P)
        there = torch.nn.functional.pad(same, (extra, 0, extra, 0)) & maps.seen
        return per_case((maps.weights * there).sum(dim=-1), there.any(dim=-1))


@dataclass(frozen=True)
class Local(Role):
    """Nine tenths of the weight lie within an eighth of the sequence, to either side.

    A head that looks at one distance is near, too; it has the name of its shift instead.
    """

    title: ClassVar = "local"
    equation: ClassVar = "Σⱼ α(i, j) over |j − i| ≤ n / 8, no distance with half of it"
    paper: ClassVar = VOITA
    least: ClassVar = 0.9
    shortest: ClassVar = 16
    alone: ClassVar = 0.5
    """The share from which on one distance is all that there is to say."""

    def measure(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """Weight near the query, in sequences in which near is not everywhere."""
        if maps.kind != "self" or maps.query.grid is not None:
            return None
        sizes = maps.key.sizes  # (B,)
        near = maps.offsets.abs() <= (sizes // 8).view(-1, 1, 1, 1)
        mass = (maps.weights * (near & maps.seen)).sum(dim=-1)
        long = (sizes >= self.shortest).view(-1, 1, 1)
        # A causal row at the start sees nothing but what is near.
        far = (maps.seen & ~near).any(dim=-1)
        held = maps.weights * maps.seen
        steps = [_at(held, by) for by in range(-FARTHEST, FARTHEST + 1)]
        return per_case(mass, maps.rows & long & far, *steps)

    def named(self, sums: Float[Tensor, "*B F"], chance: Float[Tensor, "*B"]) -> Bool[Tensor, "*B"]:
        """Near, and at no single distance."""
        most = sums[..., 1:-1].amax(dim=-1) / sums[..., -1].clamp(min=LEAST)
        return super().named(sums, chance) & (most < self.alone)


def _at(weights: Float[Tensor, "B H Q K"], by: int) -> Float[Tensor, "B H Q"]:
    """The weight of the key that is ``by`` positions behind each query; 0 where there is none."""
    queries = weights.shape[-2]
    if abs(by) >= queries:
        return weights.new_zeros(weights.shape[:-1])
    found = weights.diagonal(by, -2, -1)
    before = max(0, -by)
    return torch.nn.functional.pad(found, (before, queries - before - found.shape[-1]))


for _by in (0, *(sign * step for step in range(1, FARTHEST + 1) for sign in (-1, 1))):
    ROLES.add(Shift(_by).name, Shift(_by))
for _down in (-1, 0, 1):
    for _right in (-1, 0, 1):
        ROLES.add(Shift2D(_down, _right).name, Shift2D(_down, _right))
ROLES.add("local", Local())
