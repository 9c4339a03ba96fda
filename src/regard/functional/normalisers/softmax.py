"""The softmax."""

import torch

from regard.mechanism import mechanism
from regard.types import Bool, Float, Tensor

from ..forms import Tile
from .base import Normaliser, lowest, nonempty


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

    def __call__(
        self,
        scores: Float[Tensor, "*B r c"],
        allowed: Bool[Tensor, "*A #r #c"] | None = None,
        at: Tile | None = None,
    ) -> Float[Tensor, "*B r c"]:
        """Softmax over the allowed keys."""
        if allowed is None:
            return scores.softmax(dim=-1)
        # A finite fill keeps the softmax of an empty row finite, so its gradient is 0 and not NaN.
        weights = scores.masked_fill(~allowed, lowest(scores)).softmax(dim=-1)
        return weights * (allowed & nonempty(allowed))

    def covered(
        self, scores: Float[Tensor, "*B r c"], allowed: Bool[Tensor, "*A #r #c"], at: Tile
    ) -> Float[Tensor, "*B r c"]:
        """With no empty row, masked weights are 0 by themselves: exp(−∞)."""
        return scores.masked_fill(~allowed, -torch.inf).softmax(dim=-1)


softmax = Softmax()
