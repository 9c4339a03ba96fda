r"""The entmax family with alpha as a tensor, and the derivative that tells how sparse to be.

With :math:`\epsilon = \alpha - 1` and :math:`l_k = \log p_k` on the support, proposition 1 of
Correia et al. 2019 (https://arxiv.org/abs/1909.00015) is a difference of terms that grow as
:math:`1 / \epsilon^2`. Written with :math:`g_k = (e^{-\epsilon l_k} - 1 + \epsilon l_k) /
\epsilon^2`, which is :math:`l_k^2 / 2` for small :math:`\epsilon`, nothing cancels:

.. math:: \frac{\partial p_k}{\partial \alpha} = p_k \, \frac{(1 - \epsilon l_k) \sum_j p_j g_j
          - (1 + \epsilon H) g_k}{1 + \epsilon H + \epsilon^2 \sum_j p_j g_j},
          \qquad H = -\textstyle\sum_j p_j l_j
"""

from collections.abc import Sequence
from typing import Any

import torch

from regard.kernels.derivatives import apply
from regard.types import Float, Tensor

from ..forms import Pairs
from ..tensors import broadcast_shapes
from .base import Allowed
from .dense import softmax

SERIES = 0.05
"""Below, (eᵘ − 1 − u) / u² is a sum of its first terms, all digits of float64."""
STEEPEST = 600.0
"""Exponents beyond are cut: products of two such powers are still numbers."""


def learned_threshold_weights(
    scores: Pairs, allowed: Allowed, alpha: Float[Tensor, "*H"]
) -> Float[Tensor, "*C r c"]:
    """Alpha-entmax over the last axis, for alphas of at least 1, one for all or one per head.

    Differentiable in scores and alpha any number of times, forwards and backwards, and under
    ``vmap``. Computed in at least float32, gradients in float64.
    """
    if scores.dtype not in (torch.float32, torch.float64):
        scores = scores.float()
    one = alpha.numel() == 1
    alpha = alpha.reshape(()) if one else alpha.reshape(-1, 1, 1)
    mask = scores.shape if allowed is None else allowed.shape
    scores = scores.expand(broadcast_shapes(scores.shape, mask, alpha.shape))
    return _apply(scores, allowed, alpha)


def _apply(scores: Tensor, allowed: Tensor | None, alpha: Tensor) -> Tensor:
    # torch.compile cannot look into a function that has a derivative forwards.
    function = LearnedThreshold if torch.compiler.is_compiling() else LearnedThresholdBothWays
    return apply(function, scores, allowed, alpha)


class LearnedThreshold(torch.autograd.Function):
    """The weights as one step of the graph."""

    @staticmethod
    def forward(scores: Tensor, allowed: Tensor | None, alpha: Tensor) -> Tensor:
        """The weights."""
        return torch.ops.regard.learned_threshold_weights(scores, allowed, alpha)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        """Keep weights and alpha."""
        ctx.save_for_backward(output, inputs[2])
        ctx.save_for_forward(output, inputs[2])

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, None, Tensor | None]:
        """Both Jacobians times the gradient of the weights."""
        weights, alpha = ctx.saved_tensors
        by_scores = product(weights, grad, alpha) if ctx.needs_input_grad[0] else None
        if not ctx.needs_input_grad[2]:
            return by_scores, None, None
        inside = grad.masked_fill(weights <= 0, 0)  # whatever hangs on what is masked
        by_alpha = (inside * slope(weights, alpha)).sum_to_size(alpha.shape)
        return by_scores, None, by_alpha.to(alpha.dtype)

    @staticmethod
    def vmap(info: Any, in_dims: Any, *inputs: Tensor | None) -> tuple[Tensor, int]:
        """One by one, since each may have another alpha."""
        each = zip(
            *(_split(x, axis, info.batch_size) for x, axis in zip(inputs, in_dims, strict=True)),
            strict=True,
        )
        return torch.stack([_apply(*one) for one in each]), 0


class LearnedThresholdBothWays(LearnedThreshold):
    """With a derivative forwards too, for ``torch.func.jvp`` and Hessians."""

    @staticmethod
    def jvp(ctx: Any, scores: Tensor | None, _: Any, alpha: Tensor | None) -> Tensor:
        """How the weights change with both."""
        weights, learned = ctx.saved_tensors
        change = torch.zeros_like(weights)
        if scores is not None:
            change = change + product(weights, scores, learned)
        if alpha is not None:
            change = change + slope(weights, learned) * alpha
        return change


def product(
    weights: Float[Tensor, "*B c"], vector: Float[Tensor, "*B c"], alpha: Tensor
) -> Float[Tensor, "*B c"]:
    r""":math:`s (x - \sum s x / \sum s)` with :math:`s_k = p_k^{2 - \alpha}` on the support.

    Counted from the x of the lightest key, nothing cancels: where alpha is above 2, it has nearly
    all of the sum, which may pass the range of float32.
    """
    p, x, a = weights.double(), vector.double(), alpha.double()
    outside = p <= 0
    lightest = p.masked_fill(outside, torch.inf).argmin(-1, keepdim=True)
    x = (x - x.gather(-1, lightest)).masked_fill(outside, 0)
    s = ((2 - a) * p.masked_fill(outside, 1).log()).clamp(max=STEEPEST).exp()
    s = s.masked_fill(outside, 0)
    total = s.sum(-1, keepdim=True)
    mean = (s * x).sum(-1, keepdim=True) / total.masked_fill(total == 0, 1)
    return (s * (x - mean)).to(weights.dtype)


def slope(weights: Pairs, alpha: Tensor) -> Pairs:
    """The derivative of the weights for alpha; zeros where a row is empty."""
    p, epsilon = weights.double(), alpha.double() - 1
    logs = p.masked_fill(p <= 0, 1).log()  # outside, p makes all terms 0
    steep = (-epsilon * logs).clamp(max=STEEPEST)
    g = logs.square() * _second(steep)
    entropy = -(p * logs).sum(-1, keepdim=True)
    total = (p * g).sum(-1, keepdim=True)
    norm = 1 + epsilon * entropy + epsilon.square() * total
    change = p * ((1 + steep) * total - (1 + epsilon * entropy) * g) / norm
    return change.to(weights.dtype)


def _second(u: Tensor) -> Tensor:
    """(eᵘ − 1 − u) / u², which is ½ at 0."""
    small = u.abs() < SERIES
    near, far = u.masked_fill(~small, 0), u.masked_fill(small, 1)
    series = torch.ones_like(u)
    for n in range(10, 2, -1):  # 1/2 (1 + u/3 (1 + u/4 (1 + …
        series = 1 + series * near / n
    return torch.where(small, series / 2, (far.expm1() - far) / far.square())


def _split(tensor: Tensor | None, axis: int | None, size: int) -> Sequence[Tensor | None]:
    return [tensor] * size if tensor is None or axis is None else tensor.unbind(axis)


def _weights(scores: Tensor, allowed: Tensor | None, alpha: Tensor) -> Tensor:
    if alpha.dim() == 0:
        return _weights_of_one(scores, allowed, float(alpha))
    heads = range(len(alpha))
    each = [None] * len(heads) if allowed is None else [_head(allowed, h) for h in heads]
    return torch.stack(
        [_weights_of_one(scores.select(-3, h), each[h], float(alpha[h])) for h in heads],
        dim=-3,
    )


def _weights_of_one(scores: Tensor, allowed: Tensor | None, alpha: float) -> Tensor:
    if alpha > 1:
        return torch.ops.regard.threshold_weights(scores, allowed, alpha)
    finite = scores > -torch.inf
    return softmax(scores, finite if allowed is None else finite & allowed)


def _head(allowed: Tensor, head: int) -> Tensor:
    """The mask of one head; all share it where there is no axis for them."""
    if allowed.dim() < 3:
        return allowed
    return allowed.select(-3, head if allowed.shape[-3] > 1 else 0)


# As an operator of its own it is opaque to torch.compile, which need not break its graph there.
_library = torch.library.Library("regard", "FRAGMENT")
_library.define("learned_threshold_weights(Tensor scores, Tensor? allowed, Tensor alpha) -> Tensor")
_library.impl("learned_threshold_weights", _weights, "CompositeExplicitAutograd")


def _like_scores(scores: Tensor, allowed: Tensor | None, alpha: Tensor) -> Tensor:
    return torch.empty_like(scores, memory_format=torch.contiguous_format)


torch.library.register_fake("regard::learned_threshold_weights", _like_scores, lib=_library)
