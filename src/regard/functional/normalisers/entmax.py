r"""The entmax family: sparsemax, 1.5-entmax, and any alpha between softmax and one-hot.

All share a threshold per row and the exact derivative. With :math:`s_k = p_k^{2 - \alpha}` on the
support of the weights p and 0 elsewhere, the Jacobian is the symmetric :math:`\mathrm{diag}(s) - s
s^\top / \textstyle\sum_k s_k` (Peters et al. 2019), so the weights are all that has to be kept for
the backward pass.
"""

import copy
import math
from dataclasses import dataclass
from typing import Any

import torch

from regard.errors import DtypeError, RangeError, ShapeError
from regard.kernels.available import numba_available
from regard.kernels.derivatives import apply, is_batched, transformed
from regard.mechanism import mechanism
from regard.papers import PETERS_2019
from regard.types import Float, Int, Tensor

from ..forms import Pairs, Tile
from ..tensors import broadcast_shapes
from .base import Allowed, Normaliser
from .learned_threshold import learned_threshold_weights, product
from .threshold_search import search


class ThresholdNormaliser(Normaliser):
    """Alpha-entmax: scores below a threshold get no weight."""

    alpha: float | int | Tensor

    def __call__(
        self, scores: Pairs, allowed: Allowed = None, at: Tile | None = None
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


def threshold_weights(scores: Pairs, allowed: Allowed, alpha: float) -> Float[Tensor, "*C r c"]:
    """Alpha-entmax over the last axis, for any alpha above 1, in at least float32.

    By compiled rows on a CPU with numba, by tensor operations elsewhere: the same numbers to
    rounding. Differentiable any number of times, forwards and backwards, and under ``vmap``.
    """
    if scores.dtype not in (torch.float32, torch.float64):
        scores = scores.float()
    if allowed is not None:
        scores = scores.expand(broadcast_shapes(scores.shape, allowed.shape))
    return _apply(scores, allowed, alpha)


def _apply(scores: Tensor, allowed: Tensor | None, alpha: float) -> Tensor:
    # torch.compile cannot look into a function that has a derivative forwards.
    function = Threshold if torch.compiler.is_compiling() else ThresholdBothWays
    return apply(function, scores, allowed, alpha)


class Threshold(torch.autograd.Function):
    """The weights as one step of the graph."""

    @staticmethod
    def forward(scores: Tensor, allowed: Tensor | None, alpha: float) -> Tensor:
        """The weights."""
        return torch.ops.regard.threshold_weights(scores, allowed, alpha)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        """Keep the weights."""
        ctx.save_for_backward(output)
        ctx.save_for_forward(output)
        ctx.alpha = inputs[2]

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        """The Jacobian times the gradient of the weights."""
        (weights,) = ctx.saved_tensors
        # With gradients enabled somebody wants to differentiate this once more.
        if torch.is_grad_enabled() or is_batched(grad):
            return jacobian_product(weights, grad, ctx.alpha), None, None
        return torch.ops.regard.threshold_gradient(weights, grad, ctx.alpha), None, None

    @staticmethod
    def vmap(
        info: Any, in_dims: Any, scores: Tensor, allowed: Tensor | None, alpha: float
    ) -> tuple[Tensor, int]:
        """Another leading axis."""
        own = in_dims[0]
        scores = (
            scores.expand(info.batch_size, *scores.shape) if own is None else scores.movedim(own, 0)
        )
        if allowed is not None and in_dims[1] is not None:
            allowed = allowed.movedim(in_dims[1], 0)
            missing = scores.dim() - allowed.dim()
            allowed = allowed.reshape(info.batch_size, *[1] * missing, *allowed.shape[1:])
        return _apply(scores, allowed, alpha), 0


class ThresholdBothWays(Threshold):
    """With a derivative forwards too, for ``torch.func.jvp`` and Hessians."""

    @staticmethod
    def jvp(ctx: Any, scores: Tensor, *_: Any) -> Tensor:
        """The same product as backwards: the Jacobian is symmetric."""
        return jacobian_product(ctx.saved_tensors[0], scores, ctx.alpha)


def jacobian_product(
    weights: Float[Tensor, "*B c"], vector: Float[Tensor, "*B c"], alpha: float
) -> Float[Tensor, "*B c"]:
    r""":math:`s (x - \sum s x / \sum s)` as differentiable tensor operations."""
    outside = weights <= 0
    if alpha > 2:
        return product(weights, vector, weights.new_tensor(alpha, dtype=torch.float64))
    vector = vector.masked_fill(outside, 0)
    scale = _scale(weights, outside, alpha)
    total = scale.sum(-1, keepdim=True)
    mean = (scale * vector).sum(-1, keepdim=True) / total.masked_fill(total == 0, 1)
    return scale * (vector - mean)


def _scale(weights: Tensor, outside: Tensor, alpha: float) -> Tensor:
    if alpha == 2:
        return weights.sign()
    if not torch.is_grad_enabled():
        return weights ** (2 - alpha)
    inside = weights.masked_fill(outside, 1)  # at 0 the power has no derivative
    return (inside ** (2 - alpha)).masked_fill(outside, 0)


def _weights(scores: Tensor, allowed: Tensor | None, alpha: float) -> Tensor:
    if scores.numel() == 0:
        return torch.zeros_like(scores)
    if scores.device.type == "cpu" and numba_available():
        from regard.kernels import threshold_numba

        return threshold_numba.weights(scores, allowed, alpha)
    return search(scores, allowed, alpha)


def _gradient(weights: Tensor, grad: Tensor, alpha: float) -> Tensor:
    if weights.numel() and weights.device.type == "cpu" and numba_available():
        from regard.kernels import threshold_numba

        return threshold_numba.gradient(weights, grad, alpha)
    return jacobian_product(weights, grad, alpha)


# As operators of their own they are opaque to torch.compile, which need not break its graph there.
_library = torch.library.Library("regard", "FRAGMENT")
_library.define("threshold_weights(Tensor scores, Tensor? allowed, float alpha) -> Tensor")
_library.define("threshold_gradient(Tensor weights, Tensor grad, float alpha) -> Tensor")
_library.impl("threshold_weights", _weights, "CompositeExplicitAutograd")
_library.impl("threshold_gradient", _gradient, "CompositeExplicitAutograd")


def _like_first(first: Tensor, other: Tensor | None, alpha: float) -> Tensor:
    return torch.empty_like(first, memory_format=torch.contiguous_format)


for _name in ("threshold_weights", "threshold_gradient"):
    torch.library.register_fake(f"regard::{_name}", _like_first, lib=_library)
