"""Every allowed key by its score: softmax, scores in proportion, ReLU, sigmoid, means."""

import torch

from regard.mechanism import mechanism
from regard.papers import NADARAYA_WATSON_1964, WANG_2018
from regard.types import Bool, Tensor

from ..forms import Pairs, Tile
from .base import Allowed, Normaliser, lowest, nonempty


@mechanism(
    "softmax",
    equation="αₖ = exp eₖ / Σⱼ exp eⱼ",
    cost="O(Q K)",
    paper=("Bridle 1990", "https://doi.org/10.1007/978-3-642-76153-9_28"),
)
class Softmax(Normaliser):
    r"""Exponential weights.

    .. math:: \alpha_{qk} = \exp(e_{qk}) / \textstyle\sum_j \exp(e_{qj})
    """

    name = "softmax"
    step = "α = exp(s) / Σ exp(s)"
    is_softmax = True

    def __call__(self, scores: Pairs, allowed: Allowed = None, at: Tile | None = None) -> Pairs:
        """Softmax over the allowed keys."""
        if allowed is None:
            return scores.softmax(dim=-1)
        # A finite fill keeps the softmax of an empty row finite, so its gradient is 0 and not NaN.
        weights = scores.masked_fill(~allowed, lowest(scores)).softmax(dim=-1)
        return weights * (allowed & nonempty(allowed))

    def covered(self, scores: Pairs, allowed: Bool[Tensor, "*A #r #c"], at: Tile) -> Pairs:
        """With no empty row, masked weights are 0 by themselves: exp(−∞)."""
        return scores.masked_fill(~allowed, -torch.inf).softmax(dim=-1)


@mechanism("proportional", equation="αₖ = eₖ / Σⱼ eⱼ", cost="O(Q K)", paper=NADARAYA_WATSON_1964)
class Proportional(Normaliser):
    r"""Scores divided by their sum: Nadaraya–Watson regression with a kernel as score.

    .. math:: \alpha_{qk} = e_{qk} / \textstyle\sum_j e_{qj}

    Meant for scores that are not negative. A row whose sum is 0 (no key within reach of a kernel)
    gets zero weights.
    """

    name = "proportional"
    step = "α = s / Σ s"
    shift_invariant = False
    is_proportion = True

    def __call__(self, scores: Pairs, allowed: Allowed = None, at: Tile | None = None) -> Pairs:
        """Allowed scores over their sum."""
        if allowed is not None:
            scores = scores.masked_fill(~allowed, 0)
        total = scores.sum(dim=-1, keepdim=True)
        nothing = total == 0
        return torch.where(nothing, 0, scores / total.masked_fill(nothing, 1))


@mechanism(
    "ReLU",
    equation="αₖ = max(0, eₖ)",
    cost="O(Q K)",
    paper=("Zhang 2021", "https://arxiv.org/abs/2104.07012"),
)
class Relu(Normaliser):
    r"""Positive part of the score; rows do not sum to one.

    .. math:: \alpha_{qk} = \max(0, e_{qk})

    Zhang et al. 2021, rectified linear attention (https://arxiv.org/abs/2104.07012); they normalise
    the context by a layer norm. Divided by the number of keys it is :class:`MeanRelu`.
    """

    name = "relu"
    step = "α = max(0, s)"
    shift_invariant = False

    def __call__(self, scores: Pairs, allowed: Allowed = None, at: Tile | None = None) -> Pairs:
        """Positive part of the allowed scores."""
        return _only(allowed, torch.relu(scores))


@mechanism(
    "sigmoid",
    equation="αₖ = 1 / (1 + exp −eₖ)",
    cost="O(Q K)",
    paper=("Ramapuram 2024", "https://arxiv.org/abs/2409.04431"),
)
class Sigmoid(Normaliser):
    r"""Each key weighed for itself; rows do not sum to one.

    .. math:: \alpha_{qk} = 1 / (1 + \exp(-e_{qk}))

    Ramapuram et al. 2024 study it in place of softmax (https://arxiv.org/abs/2409.04431); they
    add a bias of −log K, which is a constant added to the score here.
    """

    name = "sigmoid"
    step = "α = 1 / (1 + exp(−s))"
    shift_invariant = False

    def __call__(self, scores: Pairs, allowed: Allowed = None, at: Tile | None = None) -> Pairs:
        """Logistic function of the allowed scores."""
        return _only(allowed, torch.sigmoid(scores))


def _only(allowed: Tensor | None, weights: Tensor) -> Tensor:
    return weights if allowed is None else weights.masked_fill(~allowed, 0)


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

    def __call__(self, scores: Pairs, allowed: Allowed = None, at: Tile | None = None) -> Pairs:
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

    def __call__(self, scores: Pairs, allowed: Allowed = None, at: Tile | None = None) -> Pairs:
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


softmax = Softmax()
proportional = Proportional()
relu = Relu()
sigmoid = Sigmoid()
mean = Mean()
mean_relu = MeanRelu()
