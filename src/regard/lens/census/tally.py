"""Sums of roles over sentences, and what they say of each head."""

from dataclasses import dataclass, field

import torch

from regard.types import Float, Tensor

from ..maps import Maps
from .role import Role

RESAMPLES = 400
"""Draws of the bootstrap."""


@dataclass(eq=False)
class Tally:
    """One role in the heads of one module: numbers of every sentence that was read."""

    role: Role
    found: list[Float[Tensor, "B H F"]] = field(default_factory=list)
    by_chance: list[Float[Tensor, "H F"]] = field(default_factory=list)

    def add(self, maps: Maps) -> None:
        """Take a batch in, if the role can be measured on it."""
        with torch.no_grad():
            measured = self.role.measure(maps)
            if measured is None:
                return
            chance = self.role.chance(maps)
        assert chance is not None
        self.found.append(measured if self.role.per_sentence else measured.sum(0, keepdim=True))
        self.by_chance.append(chance.sum(dim=0))

    def __bool__(self) -> bool:
        return bool(self.found)

    @property
    def sentences(self) -> Float[Tensor, "S H F"]:
        """Numbers of every sentence."""
        return torch.cat(self.found)

    @property
    def sums(self) -> Float[Tensor, "H F"]:
        """Over all sentences."""
        return self.sentences.sum(dim=0)

    @property
    def chance(self) -> Float[Tensor, " H"]:
        """The score of uniform weights."""
        return self.role.score(torch.stack(self.by_chance).sum(dim=0))

    def interval(self, *, seed: int = 0) -> Float[Tensor, "2 H"]:
        """95 % of the scores of corpora drawn from this one, sentence by sentence."""
        sentences = self.sentences
        count = len(sentences)
        if count < 2 or not self.role.per_sentence:
            score = self.role.score(self.sums)
            return torch.stack([score, score])
        generator = torch.Generator().manual_seed(seed)
        drawn = torch.randint(count, (RESAMPLES, count), generator=generator)
        times = torch.zeros(RESAMPLES, count, dtype=sentences.dtype)
        times.scatter_add_(1, drawn, torch.ones_like(times))
        sums = torch.einsum("rs,shf->rhf", times, sentences)
        scores = self.role.score(sums)
        ends = torch.tensor([0.025, 0.975], dtype=scores.dtype)
        return torch.quantile(scores, ends, dim=0)
