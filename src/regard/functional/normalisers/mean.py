"""Scores divided by how many there are: no softmax, yet no growth with the number of keys."""

import torch

from regard.mechanism import mechanism
from regard.papers import WANG_2018
from regard.types import Bool, Float, Tensor

from ..forms import Tile
from .base import Normaliser


@mechanism("mean", equation="αₖ = eₖ / N", cost="O(Q K)", paper=WANG_2018)
class Mean(Normaliser):
    r"""Scores divided by the number of allowed keys; weights may be negative.

    .. math:: \alpha_{qk} = e_{qk} / N_q, \quad N_q = |\{k : k \text{ allowed for } q\}|

    The dot-product version of the non-local block, Wang et al. 2018, Eq. 4
    (https://arxiv.org/abs/1711.07971).
    """

    name = "mean"
    step = "α = s / N"
    shift_invariant = False

    def __call__(
        self,
        scores: Float[Tensor, "*B r c"],
        allowed: Bool[Tensor, "*A #r #c"] | None = None,
        at: Tile | None = None,
    ) -> Float[Tensor, "*B r c"]:
        """Allowed scores over their number."""
        return _divided(scores, allowed)


@mechanism(
    "mean ReLU",
    equation="αₖ = max(0, eₖ) / N",
    cost="O(Q K)",
    paper=("Wortsman 2023", "https://arxiv.org/abs/2309.08586"),
)
class MeanRelu(Normaliser):
    r"""Positive part of the score, divided by the number of allowed keys.

    .. math:: \alpha_{qk} = \max(0, e_{qk}) / N_q

    The concatenation version of the non-local block, Wang et al. 2018, Eq. 5
    (https://arxiv.org/abs/1711.07971); Wortsman et al. 2023 put it in place of the softmax of
    vision transformers (https://arxiv.org/abs/2309.08586).
    """

    name = "mean_relu"
    step = "α = max(0, s) / N"
    shift_invariant = False

    def __call__(
        self,
        scores: Float[Tensor, "*B r c"],
        allowed: Bool[Tensor, "*A #r #c"] | None = None,
        at: Tile | None = None,
    ) -> Float[Tensor, "*B r c"]:
        """Positive part of the allowed scores over their number."""
        return _divided(torch.relu(scores), allowed)


def _divided(weights: Tensor, allowed: Tensor | None) -> Tensor:
    columns = weights.shape[-1]
    if allowed is None:
        return weights / max(1, columns)
    count = allowed.sum(dim=-1, keepdim=True)
    if allowed.shape[-1] != columns:  # one answer for all keys of a row
        count = count * columns
    return weights.masked_fill(~allowed, 0) / count.clamp(min=1)


mean = Mean()
mean_relu = MeanRelu()
