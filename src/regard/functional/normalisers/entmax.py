"""The family between softmax, sparsemax and one-hot."""

import math
from dataclasses import dataclass

from regard.errors import RangeError
from regard.types import Bool, Float, Tensor

from ..forms import At
from .base import Normaliser
from .threshold import threshold_weights


@dataclass(frozen=True, repr=False)
class Entmax(Normaliser):
    r"""From softmax (alpha towards 1) over sparsemax (2) towards one-hot: ever fewer keys.

    .. math::
        \alpha_{qk} = \max(0, (\alpha - 1) e_{qk} - \tau_q)^{1 / (\alpha - 1)},
        \qquad \textstyle\sum_k \alpha_{qk} = 1

    Peters, Niculae and Martins 2019 (https://arxiv.org/abs/1905.05702). Scores of −∞ count as
    masked. At 2 and 1.5 it is :class:`Sparsemax` and :class:`Entmax15`, at their speed.

    Args:
        alpha: above 1 and finite.

    Raises:
        RangeError: any other alpha.
    """

    alpha: float | int

    name = "entmax"

    def __post_init__(self) -> None:
        if not (math.isfinite(self.alpha) and self.alpha > 1):
            raise RangeError(
                f"entmax needs a finite alpha above 1, got {self.alpha}; use softmax for alpha = 1"
            )
        object.__setattr__(self, "alpha", float(self.alpha))

    def __call__(
        self,
        scores: Float[Tensor, "*B r c"],
        allowed: Bool[Tensor, "*A #r #c"] | None = None,
        at: At | None = None,
    ) -> Float[Tensor, "*C r c"]:
        """Alpha-entmax over the allowed keys."""
        return threshold_weights(scores, allowed, self.alpha)

    def __repr__(self) -> str:
        return f"Entmax(alpha={self.alpha})"
