"""Weights that need no other weight: ReLU and sigmoid."""

import torch

from regard.mechanism import mechanism
from regard.types import Bool, Float, Tensor

from ..forms import Tile
from .base import Normaliser


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

    def __call__(
        self,
        scores: Float[Tensor, "*B r c"],
        allowed: Bool[Tensor, "*A #r #c"] | None = None,
        at: Tile | None = None,
    ) -> Float[Tensor, "*B r c"]:
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

    def __call__(
        self,
        scores: Float[Tensor, "*B r c"],
        allowed: Bool[Tensor, "*A #r #c"] | None = None,
        at: Tile | None = None,
    ) -> Float[Tensor, "*B r c"]:
        """Logistic function of the allowed scores."""
        return _only(allowed, torch.sigmoid(scores))


def _only(allowed: Tensor | None, weights: Tensor) -> Tensor:
    return weights if allowed is None else weights.masked_fill(~allowed, 0)


relu = Relu()
sigmoid = Sigmoid()
