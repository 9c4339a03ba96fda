"""What a role is: a score that adds up over sentences, and from when on a head has its name."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import torch

from regard.registry import Registry
from regard.types import Bool, Float, Tensor

from ..maps import Maps

LEAST = 1e-9
"""Below it nothing was counted."""


@dataclass(frozen=True)
class Role:
    """A job that a head may have.

    ``measure`` reads the maps of a batch and returns, for every sentence and head, some numbers
    that are summed over sentences; ``score`` turns the sums into one number, more of which is more
    of the role. A head of uniform weights under the same masks goes the same way: that is chance.
    """

    title: ClassVar[str]
    equation: ClassVar[str]
    paper: ClassVar[str] = ""
    least: ClassVar[float]
    """The score from which on a head has the name."""
    rows: ClassVar[int] = 32
    """Queries that the score must rest on."""
    per_sentence: ClassVar[bool] = True
    """Whether sums of every sentence are kept, for an interval."""

    @property
    def name(self) -> str:
        """What a head of this role is called."""
        return self.title

    @abstractmethod
    def measure(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """Numbers to be summed, the last of which counts cases; ``None`` where it cannot be."""

    def score(self, sums: Float[Tensor, "*B F"]) -> Float[Tensor, "*B"]:
        """How much of the role: by default the first sum per case."""
        return sums[..., 0] / sums[..., -1].clamp(min=LEAST)

    def chance(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """The numbers of a head that looks at all keys alike."""
        return self.measure(maps.by_chance())

    def named(self, sums: Float[Tensor, "*B F"], chance: Float[Tensor, "*B"]) -> Bool[Tensor, "*B"]:
        """Whether a head has the name.

        Args:
            sums: over all sentences.
            chance: the score of uniform weights.
        """
        return (self.score(sums) >= self.least) & self.enough(sums)

    def enough(self, sums: Float[Tensor, "*B F"]) -> Bool[Tensor, "*B"]:
        """Whether there were enough cases to tell."""
        return sums[..., -1] >= self.rows

    def note(self, sums: Float[Tensor, " F"]) -> str:
        """More about one head, in a few words."""
        return ""


ROLES: Registry[Role] = Registry("role")
"""All roles by name, in the order in which a census tells them."""


def per_case(
    hits: Float[Tensor, "B H Q"], cases: Bool[Tensor, "B H Q"], *more: Tensor
) -> Float[Tensor, "B H F"]:
    """Sums over queries: of hits, of anything else, and how many cases there were."""

    counted = [(each * cases).sum(dim=-1) for each in (hits, *more)]
    return torch.stack([*counted, cases.sum(dim=-1).to(hits.dtype)], dim=-1).double()
