"""The entmax family: sparsemax, 1.5-entmax, and any alpha between softmax and one-hot."""

import copy
import math
from dataclasses import dataclass

import torch

from regard.errors import DtypeError, RangeError, ShapeError
from regard.kernels.derivatives import transformed
from regard.mechanism import mechanism
from regard.papers import PETERS_2019
from regard.types import Bool, Float, Int, Tensor

from ..forms import Tile
from .base import Normaliser
from .learned_threshold import learned_threshold_weights
from .threshold import threshold_weights


class ThresholdNormaliser(Normaliser):
    """Alpha-entmax: scores below a threshold get no weight."""

    alpha: float | int | Tensor

    def __call__(
        self,
        scores: Float[Tensor, "*B r c"],
        allowed: Bool[Tensor, "*A #r #c"] | None = None,
        at: Tile | None = None,
    ) -> Float[Tensor, "*C r c"]:
        """Alpha-entmax over the allowed keys."""
        if isinstance(self.alpha, Tensor):
            return learned_threshold_weights(scores, allowed, self.alpha)
        return threshold_weights(scores, allowed, self.alpha)

    @property
    def support_alpha(self) -> float | None:
        """A number up to 2; of a tensor, alpha itself has a gradient."""
        alpha = self.alpha
        return None if isinstance(alpha, Tensor) or alpha > 2 else alpha


@mechanism(
    "sparsemax",
    equation="α = argmin_{p ∈ Δ} ‖p − e‖²",
    cost="O(Q K), no sort",
    paper=("Martins 2016", "https://arxiv.org/abs/1602.02068"),
)
class Sparsemax(ThresholdNormaliser):
    r"""The nearest point of the simplex: most weights are exactly zero.

    .. math:: \alpha_{qk} = \max(0, e_{qk} - \tau_q), \qquad \textstyle\sum_k \alpha_{qk} = 1

    Martins and Astudillo 2016, proposition 1 (https://arxiv.org/abs/1602.02068). It is
    :class:`Entmax` with alpha = 2. Scores of −∞ count as masked. Nothing is sorted: a few passes
    over the row.
    """

    name = "sparsemax"
    step = "α = max(0, s − τ), τ such that Σ α = 1"
    alpha = 2.0


@mechanism(
    "1.5-entmax", equation="αₖ = max(0, ½ eₖ − τ)²", cost="O(Q K), no sort", paper=PETERS_2019
)
class Entmax15(ThresholdNormaliser):
    r"""Half-way between softmax and sparsemax: sparse, with a smooth edge.

    .. math:: \alpha_{qk} = \max(0, e_{qk} / 2 - \tau_q)^2, \qquad \textstyle\sum_k \alpha_{qk} = 1

    Peters, Niculae and Martins 2019 (https://arxiv.org/abs/1905.05702). It is :class:`Entmax` with
    alpha = 1.5. Scores of −∞ count as masked. Nothing is sorted: a few passes over the row.
    """

    name = "entmax15"
    step = "α = max(0, s/2 − τ)², τ such that Σ α = 1"
    alpha = 1.5


@mechanism(
    "α-entmax",
    equation="αₖ = max(0, (α−1) eₖ − τ)^{1/(α−1)}",
    cost="O(Q K) times some steps",
    paper=PETERS_2019,
)
@dataclass(frozen=True, repr=False)
class Entmax(ThresholdNormaliser):
    r"""From softmax (alpha towards 1) over sparsemax (2) towards one-hot: ever fewer keys.

    .. math::
        \alpha_{qk} = \max(0, (\alpha - 1) e_{qk} - \tau_q)^{1 / (\alpha - 1)},
        \qquad \textstyle\sum_k \alpha_{qk} = 1

    Peters, Niculae and Martins 2019 (https://arxiv.org/abs/1905.05702). Scores of −∞ count as
    masked. At 2 and 1.5 it is :class:`Sparsemax` and :class:`Entmax15`, at their speed.

    A tensor as alpha gets its exact gradient: how sparse to be is then learned, by each head for
    itself if there is one alpha per head (Correia, Niculae and Martins 2019, proposition 1,
    https://arxiv.org/abs/1909.00015; they take 1 + sigmoid(a) for a learned a). A learned alpha may
    be 1, where it is the softmax.

    Args:
        alpha: above 1 and finite; a number, or a tensor () or (H,), one for each entry of the axis
            before the positions.

    Raises:
        RangeError: any other alpha.
        ShapeError: a tensor of more than one axis.
    """

    alpha: float | int | Tensor

    name = "entmax"
    step = "α = max(0, (a − 1) s − τ)^(1/(a − 1)), τ such that Σ α = 1"

    def __post_init__(self) -> None:
        if isinstance(self.alpha, Tensor):
            _check_learned(self.alpha)
            return
        if not (math.isfinite(self.alpha) and self.alpha > 1):
            raise RangeError(
                f"entmax needs a finite alpha above 1, got {self.alpha}; use softmax for alpha = 1"
            )
        object.__setattr__(self, "alpha", float(self.alpha))

    def tensors(self) -> tuple[Tensor, ...]:
        """A learned alpha."""
        return (self.alpha,) if isinstance(self.alpha, Tensor) else ()

    def given(self, tensors: tuple[Tensor, ...]) -> "Entmax":
        """With this tensor as alpha; nothing is checked again."""
        twin = copy.copy(self)
        for alpha in tensors:
            object.__setattr__(twin, "alpha", alpha)
        return twin

    def of_heads(self, heads: Int[Tensor, " h"]) -> "Entmax":
        """The alphas of these heads."""
        if not isinstance(self.alpha, Tensor) or self.alpha.numel() == 1:
            return self
        return self.given((self.alpha.index_select(0, heads),))

    def check(self, leading: tuple[int, ...]) -> None:
        """One alpha for all, or one per head."""
        if not isinstance(self.alpha, Tensor) or self.alpha.numel() == 1:
            return
        if self.alpha.shape != leading[-1:]:
            raise ShapeError(
                f"entmax needs one alpha, or one for each of {leading[-1] if leading else 1} heads "
                f"on the axis before the positions, got {self.alpha.shape[0]}"
            )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Entmax) or isinstance(self.alpha, Tensor):
            return self is other
        return not isinstance(other.alpha, Tensor) and self.alpha == other.alpha

    def __repr__(self) -> str:
        alpha = self.alpha
        shown = f"Tensor{tuple(alpha.shape)}" if isinstance(alpha, Tensor) else alpha
        return f"Entmax(alpha={shown})"


sparsemax = Sparsemax()
entmax15 = Entmax15()


def _check_learned(alpha: Tensor) -> None:
    if not alpha.is_floating_point():
        raise DtypeError(f"entmax needs alpha as a floating-point tensor, got {alpha.dtype}")
    if alpha.dim() > 1 or not alpha.numel():
        raise ShapeError(
            f"entmax needs alpha of shape () or (H,), one per head, got {tuple(alpha.shape)}"
        )
    if torch.compiler.is_compiling() or transformed():
        return
    low, high = map(float, alpha.detach().aminmax())
    if not (low >= 1 and math.isfinite(high)):
        raise RangeError(
            f"entmax needs finite alphas of at least 1, got {low} to {high}; learn a and pass "
            "1 + sigmoid(a)"
        )
