"""The sparsemax."""

from typing import ClassVar

from regard.types import Bool, Float, Tensor

from ..forms import At
from .base import Normaliser
from .threshold import threshold_weights


class Sparsemax(Normaliser):
    r"""The nearest point of the simplex: most weights are exactly zero.

    .. math:: \alpha_{qk} = \max(0, e_{qk} - \tau_q), \qquad \textstyle\sum_k \alpha_{qk} = 1

    Martins and Astudillo 2016, proposition 1 (https://arxiv.org/abs/1602.02068). It is
    :class:`Entmax` with alpha = 2. Scores of −∞ count as masked. Nothing is sorted: a few passes
    over the row.
    """

    name = "sparsemax"
    alpha: ClassVar[float] = 2.0

    def __call__(
        self,
        scores: Float[Tensor, "*B r c"],
        allowed: Bool[Tensor, "*A #r #c"] | None = None,
        at: At | None = None,
    ) -> Float[Tensor, "*C r c"]:
        """Sparsemax over the allowed keys."""
        return threshold_weights(scores, allowed, self.alpha)


sparsemax = Sparsemax()
