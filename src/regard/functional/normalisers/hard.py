"""All weight on one key: the highest, or one drawn."""

from dataclasses import dataclass, replace

import torch

from regard.mechanism import mechanism
from regard.papers import XU_2015
from regard.types import Bool, Float, Tensor

from ..forms import Tile
from ..randomness import draw_seed, require_generator, uniform
from .base import Normaliser, lowest, nonempty, positions


@mechanism("hard (one-hot)", equation="αₖ = 1[k = argmax e]", cost="O(Q K)", paper=XU_2015)
class Hard(Normaliser):
    r"""One-hot of the first highest score.

    .. math:: \alpha_{qk} = 1[k = \arg\max_j e_{qj}]

    Piecewise constant: no gradient reaches the scores. See ``regard.nn`` for ways to train it.
    """

    name = "hard"
    step = "α = 1 for the largest s, else 0"

    def __call__(
        self,
        scores: Float[Tensor, "*B r c"],
        allowed: Bool[Tensor, "*A #r #c"] | None = None,
        at: Tile | None = None,
    ) -> Float[Tensor, "*B r c"]:
        """One-hot rows."""
        return _one_hot(scores.detach(), allowed)


@mechanism("sampled", equation="k ~ softmax(e),  α = one-hot(k)", cost="O(Q K)", paper=XU_2015)
@dataclass(frozen=True, repr=False)
class Sample(Normaliser):
    r"""One key drawn from the softmax of the scores.

    .. math:: \alpha_q = \text{one-hot}(j), \quad j \sim \mathrm{softmax}(e_q)

    Xu et al. 2015, section 4.1, stochastic *hard* attention (https://arxiv.org/abs/1502.03044).
    Drawn as the highest of the scores with Gumbel noise added. No gradient reaches the scores.

    Args:
        generator: where the randomness comes from; ``None`` is torch's global generator.
    """

    generator: torch.Generator | None = None
    seed: int | None = None
    """Fixes the draw; set for the length of one call by :meth:`bound`."""

    name = "sample"
    step = "α = 1 for one key drawn from softmax(s), else 0"
    draws = True

    def __post_init__(self) -> None:
        require_generator("Sample", self.generator)

    def bound(self) -> "Sample":
        """With a seed taken from the generator."""
        return self if self.seed is not None else replace(self, seed=draw_seed(self.generator))

    def __call__(
        self,
        scores: Float[Tensor, "*B r c"],
        allowed: Bool[Tensor, "*A #r #c"] | None = None,
        at: Tile | None = None,
    ) -> Float[Tensor, "*B r c"]:
        """One-hot rows."""
        seed = self.seed if self.seed is not None else draw_seed(self.generator)
        chance = uniform(seed, tuple(scores.shape[:-2]), positions(scores, at))
        gumbel = -(-chance.log()).log()
        return _one_hot(scores.detach() + gumbel.to(scores.dtype), allowed)

    def __repr__(self) -> str:
        return "Sample()" if self.generator is None else "Sample(generator)"


def _one_hot(scores: Tensor, allowed: Tensor | None) -> Tensor:
    if scores.shape[-1] == 0:
        return torch.zeros_like(scores)
    if allowed is not None:
        scores = scores.clamp(min=lowest(scores)).masked_fill(~allowed, -torch.inf)
    best = scores.argmax(dim=-1, keepdim=True)
    weights = torch.zeros_like(scores).scatter(-1, best, 1.0)
    return weights if allowed is None else weights * nonempty(allowed)


hard = Hard()
