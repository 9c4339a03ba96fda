"""Weights in proportion to the scores, for kernels."""

import torch

from regard.mechanism import mechanism
from regard.papers import NADARAYA_WATSON_1964
from regard.types import Bool, Float, Tensor

from ..forms import Tile
from .base import Normaliser


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

    def __call__(
        self,
        scores: Float[Tensor, "*B r c"],
        allowed: Bool[Tensor, "*A #r #c"] | None = None,
        at: Tile | None = None,
    ) -> Float[Tensor, "*B r c"]:
        """Allowed scores over their sum."""
        if allowed is not None:
            scores = scores.masked_fill(~allowed, 0)
        total = scores.sum(dim=-1, keepdim=True)
        nothing = total == 0
        return torch.where(nothing, 0, scores / total.masked_fill(nothing, 1))


proportional = Proportional()
