"""The 1.5-entmax."""

from typing import ClassVar

from regard.types import Bool, Float, Tensor

from ..forms import At
from .base import Normaliser
from .threshold import threshold_weights


class Entmax15(Normaliser):
    r"""Half-way between softmax and sparsemax: sparse, with a smooth edge.

    .. math:: \alpha_{qk} = \max(0, e_{qk} / 2 - \tau_q)^2, \qquad \textstyle\sum_k \alpha_{qk} = 1

    Peters, Niculae and Martins 2019 (https://arxiv.org/abs/1905.05702). It is :class:`Entmax` with
    alpha = 1.5. Scores of −∞ count as masked. Nothing is sorted: a few passes over the row.
    """

    name = "entmax15"
    alpha: ClassVar[float] = 1.5

    def __call__(
        self,
        scores: Float[Tensor, "*B r c"],
        allowed: Bool[Tensor, "*A #r #c"] | None = None,
        at: At | None = None,
    ) -> Float[Tensor, "*C r c"]:
        """1.5-entmax over the allowed keys."""
        return threshold_weights(scores, allowed, self.alpha)


entmax15 = Entmax15()
