"""Another score, mask or normaliser in place of a module's own."""

from dataclasses import dataclass, field

import torch

from regard.functional import masks, scores
from regard.functional.asked import Asked
from regard.functional.forms import Pairs, Tile
from regard.functional.masks import Mask
from regard.functional.normalisers import Normaliser
from regard.functional.normalisers.base import Allowed
from regard.functional.scores import Score, ScoreLike
from regard.functional.scores.base import PositionTerm, Sum
from regard.functional.tensors import spread_over
from regard.types import Float, Tensor

from .base import Intervention, Run


@dataclass(frozen=True, eq=False)
class Swapped(Intervention):
    """Any mechanism in any model: what is not given stays the module's own.

    A mask comes on top of the module's own, so that a causal model stays causal; a score takes the
    place of the product of queries and keys, and what depends on positions alone stays. Gradients
    flow into queries, keys and values, and into the parameters of what is put in.

    Args:
        module: name or pattern of the modules.
        score: as in :func:`regard.attend`.
        mask: as in :func:`regard.attend`.
        normalise: as in :func:`regard.attend`.
    """

    module: str
    score: ScoreLike | None = None
    mask: Mask | Tensor | str | None = None
    normalise: Normaliser | str | None = None

    @property
    def where(self) -> str:
        """Which modules."""
        return self.module

    def context(self, asked: Asked, run: Run) -> Float[Tensor, "*B Q E"]:
        """The context by these choices, in the heads that are meant."""
        new = self._swapped(asked).attend()
        return new if self.heads is None else self.chosen(run(), new)

    def weights(self, asked: Asked, weights: Float[Tensor, "*B Q K"]) -> Float[Tensor, "*B Q K"]:
        """The weights by these choices."""
        return self.chosen(weights, self._swapped(asked).weigh())

    def _swapped(self, asked: Asked) -> Asked:
        own, added = masks.resolve(asked.mask), masks.resolve(self.mask)
        both = added if own is None else own if added is None else own & added
        normalise = asked.normalise if self.normalise is None else self.normalise
        score = asked.score if self.score is None else _kept_positions(asked.score, self.score)
        return asked.by(score=score, mask=both, normalise=normalise)


def _kept_positions(own: ScoreLike, new: ScoreLike) -> Score:
    """The new score, with the terms of the old one that only look at positions."""
    resolved, found = scores.resolve(own), scores.resolve(new)
    terms = resolved.terms if isinstance(resolved, Sum) else ()
    for term in terms:
        found = found + term if isinstance(term, PositionTerm) else found
    return found


@dataclass(frozen=True, repr=False)
class Even(Normaliser):
    r"""The same weight for every allowed key, whatever its score: :math:`\alpha = 1 / N_q`."""

    name = "even"
    step = "α = 1 / N"

    def __call__(self, scores: Pairs, allowed: Allowed = None, at: Tile | None = None) -> Pairs:
        """One over the number of allowed keys."""
        every = torch.ones_like(scores, dtype=torch.bool)
        allowed = every if allowed is None else allowed & every
        weights = allowed.to(scores.dtype)
        return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1)


@dataclass(frozen=True, eq=False)
class Uniform(Swapped):
    """Heads that look everywhere alike: does it matter where they look?"""

    normalise: Normaliser | str | None = field(default_factory=Even)


@dataclass(frozen=True, eq=False)
class WithWeights(Intervention):
    """Weights of your own in place of those computed.

    Args:
        module: name or pattern of the modules.
        given: weights that broadcast to (*B, Q, K).
    """

    module: str
    given: Tensor = field(repr=False)

    @property
    def where(self) -> str:
        """Which modules."""
        return self.module

    def context(self, asked: Asked, run: Run) -> Float[Tensor, "*B Q E"]:
        """The values by these weights, in the heads that are meant."""
        old = run()
        given = self.given.to(old)
        like = given.expand(*old.shape[:-1], given.shape[-1])
        return self.chosen(old, like @ spread_over(like, asked.value))

    def weights(self, asked: Asked, weights: Float[Tensor, "*B Q K"]) -> Float[Tensor, "*B Q K"]:
        """These weights."""
        return self.chosen(weights, self.given.to(weights))
