"""Gradients of a block whose weights are sparse: over the support instead of over all pairs."""

import torch

from regard.kernels.available import numba_available
from regard.types import Float, Tensor

from ..forms import Inner
from .call import Call

SPARSE = 1 / 32
"""Share of weights that are not zero below which visiting them beats matrix products."""


def follows_support(
    call: Call, inner: Inner, pieces: list[Tensor], weights: Float[Tensor, "*B r c"]
) -> bool:
    """Whether :func:`support_gradients` applies to this block, and pays."""
    return (
        inner.key_bias is None
        and call.normaliser.support_alpha is not None
        and not call.dropout
        and weights.device.type == "cpu"
        and weights.numel() > 0
        and all(x.shape[:-2] == weights.shape[:-2] for x in pieces)
        and numba_available()
        and is_sparse(weights)
    )


def support_gradients(
    call: Call, inner: Inner, pieces: list[Tensor], weights: Tensor, gradient: Tensor
) -> list[Tensor | None]:
    """Gradients of value, query and key of one block, from its weights."""
    from regard.kernels.support_numba import support_backward

    alpha = call.normaliser.support_alpha
    assert alpha is not None
    value, query, key = (_batched(x) for x in pieces)
    found = support_backward(
        _batched(weights),
        query,
        key,
        value,
        _batched(gradient),
        alpha=alpha,
        scale=inner.scale,
    )
    parts = (found.value, found.query, found.key)
    return [part.view(x.shape) for part, x in zip(parts, pieces, strict=True)]


def _batched(x: Tensor) -> Float[Tensor, "G n m"]:
    return x.reshape(-1, *x.shape[-2:])


def is_sparse(weights: Tensor) -> bool:
    """Whether the first rows of each map have few weights."""
    sample = weights[..., :2, :]
    return int(torch.count_nonzero(sample)) <= SPARSE * sample.numel()
