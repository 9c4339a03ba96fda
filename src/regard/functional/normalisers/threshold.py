r"""What sparsemax and the entmax family share: a threshold per row, and their exact derivative.

With :math:`s_k = p_k^{2 - \alpha}` on the support of the weights p and 0 elsewhere, the Jacobian is
the symmetric :math:`\mathrm{diag}(s) - s s^\top / \textstyle\sum_k s_k` (Peters et al. 2019), so
the weights are all that has to be kept for the backward pass.
"""

from typing import Any

import torch

from regard.kernels import threshold as kernels
from regard.kernels.available import numba_available
from regard.kernels.derivatives import apply, is_batched
from regard.types import Bool, Float, Tensor

from ..tensors import broadcast_shapes
from .threshold_search import search


def threshold_weights(
    scores: Float[Tensor, "*B r c"], allowed: Bool[Tensor, "*A #r #c"] | None, alpha: float
) -> Float[Tensor, "*C r c"]:
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
        info: Any,
        in_dims: tuple[int | None, ...],
        scores: Tensor,
        allowed: Tensor | None,
        alpha: float,
    ) -> tuple[Tensor, int]:
        """Another leading axis."""
        scores = _leading(scores, in_dims[0], info.batch_size)
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
    dtype = weights.dtype
    outside = weights <= 0
    if alpha > 2:
        # The lightest key has nearly all of sum(s), which may pass the range of float32. Counted
        # from its x, nothing cancels.
        weights, vector = weights.double(), vector.double()
        lightest = weights.masked_fill(outside, torch.inf).argmin(-1, keepdim=True)
        vector = vector - vector.gather(-1, lightest)
    vector = vector.masked_fill(outside, 0)
    scale = _scale(weights, outside, alpha)
    total = scale.sum(-1, keepdim=True)
    mean = (scale * vector).sum(-1, keepdim=True) / total.masked_fill(total == 0, 1)
    return (scale * (vector - mean)).to(dtype)


def _scale(weights: Tensor, outside: Tensor, alpha: float) -> Tensor:
    if alpha == 2:
        return weights.sign()
    if alpha < 2 and not torch.is_grad_enabled():
        return weights ** (2 - alpha)
    inside = weights.masked_fill(outside, 1)  # at 0 the power has no derivative
    if alpha < 2:
        return (inside ** (2 - alpha)).masked_fill(outside, 0)
    return ((2 - alpha) * inside.log()).clamp(max=700.0).exp().masked_fill(outside, 0)


def _leading(tensor: Tensor, axis: int | None, size: int) -> Tensor:
    return tensor.expand(size, *tensor.shape) if axis is None else tensor.movedim(axis, 0)


def weights_at(scores: Tensor, allowed: Tensor | None, alpha: float) -> Tensor:
    """Alpha-entmax over the last axis, without a gradient."""
    if scores.numel() == 0:
        return torch.zeros_like(scores)
    if scores.device.type == "cpu" and numba_available():
        return kernels.weights(scores, allowed, alpha)
    return search(scores, allowed, alpha)


def _gradient(weights: Tensor, grad: Tensor, alpha: float) -> Tensor:
    if weights.numel() and weights.device.type == "cpu" and numba_available():
        return kernels.gradient(weights, grad, alpha)
    return jacobian_product(weights, grad, alpha)


# As operators of their own they are opaque to torch.compile, which need not break its graph there.
_library = torch.library.Library("regard", "FRAGMENT")
_library.define("threshold_weights(Tensor scores, Tensor? allowed, float alpha) -> Tensor")
_library.define("threshold_gradient(Tensor weights, Tensor grad, float alpha) -> Tensor")
_library.impl("threshold_weights", weights_at, "CompositeExplicitAutograd")
_library.impl("threshold_gradient", _gradient, "CompositeExplicitAutograd")


def _like_first(first: Tensor, other: Tensor | None, alpha: float) -> Tensor:
    return torch.empty_like(first, memory_format=torch.contiguous_format)


for _name in ("threshold_weights", "threshold_gradient"):
    torch.library.register_fake(f"regard::{_name}", _like_first, lib=_library)
