"""A few keys for each query: the highest, the highest of all, or one drawn."""

from dataclasses import dataclass, replace

import torch

from regard.errors import RangeError
from regard.mechanism import mechanism
from regard.papers import XU_2015
from regard.types import Tensor

from ..forms import Pairs, Tile
from ..randomness import draw_seed, uniform
from ..value import require_generator, require_whole
from .base import Allowed, Normaliser, lowest, nonempty
from .dense import softmax


@mechanism(
    "top-k",
    equation="softmax over the k best",
    cost="O(Q K)",
    paper=("Gupta 2021", "https://arxiv.org/abs/2106.06899"),
)
@dataclass(frozen=True, repr=False)
class TopK(Normaliser):
    r"""Softmax over the scores that are not below the k-th highest.

    .. math:: \alpha_q = \mathrm{softmax}(e_{qk} : e_{qk} \ge e_{q(k)})

    Gupta et al. 2021 (https://arxiv.org/abs/2106.06899). Ties at the threshold are all kept, so the
    order of the keys never matters. The gradient flows through the kept scores.

    Args:
        k: how many keys to keep; with fewer allowed keys, all of them.
    """

    k: int

    name = "top_k"
    step = "α = softmax over the k largest s"

    def __post_init__(self) -> None:
        require_whole(self.name, "k", self.k)
        if self.k < 1:
            raise RangeError(f"top_k needs k of at least 1, got {self.k}")

    def __call__(self, scores: Pairs, allowed: Allowed = None, at: Tile | None = None) -> Pairs:
        """Softmax over the kept keys."""
        if self.k >= scores.shape[-1]:
            return softmax(scores, allowed)
        shown = scores if allowed is None else scores.masked_fill(~allowed, lowest(scores))
        threshold = shown.detach().topk(self.k, dim=-1).values[..., -1:]
        kept = shown >= threshold
        return softmax(scores, kept if allowed is None else kept & allowed)

    def __repr__(self) -> str:
        return f"TopK(k={self.k})"


@mechanism("hard (one-hot)", equation="αₖ = 1[k = argmax e]", cost="O(Q K)", paper=XU_2015)
class Hard(Normaliser):
    r"""One-hot of the first highest score.

    .. math:: \alpha_{qk} = 1[k = \arg\max_j e_{qj}]

    Piecewise constant: no gradient reaches the scores. See ``regard.nn`` for ways to train it.
    """

    name = "hard"
    step = "α = 1 for the largest s, else 0"

    def __call__(self, scores: Pairs, allowed: Allowed = None, at: Tile | None = None) -> Pairs:
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

    def __call__(self, scores: Pairs, allowed: Allowed = None, at: Tile | None = None) -> Pairs:
        """One-hot rows."""
        seed = self.seed if self.seed is not None else draw_seed(self.generator)
        if at is None:  # a map that starts at zero
            at = Tile(range(scores.shape[-2]), range(scores.shape[-1]), scores.device)
        chance = uniform(seed, tuple(scores.shape[:-2]), at)
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
