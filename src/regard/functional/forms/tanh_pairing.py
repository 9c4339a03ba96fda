r"""Additive scores of all pairs without the tensor of all pairs and features.

.. math:: e_{qk} = \sum_a w_a \tanh(q_{qa} + k_{ka})

tanh(q + k) = 1 − 2 / (1 + e^{2q} e^{2k}): exponentials are taken once per vector, and a pair costs
some multiplications and a shared division (:mod:`..kernels.tanh_numba` compiled, :mod:`.tanh_tiles`
otherwise). :mod:`.tanh_guard` keeps that exact for large vectors, :mod:`.tanh_series` for tiny
ones.
"""

from collections.abc import Callable
from math import frexp, isfinite
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx, once_differentiable

from ..kernels.available import numba_available
from . import tanh_series, tanh_tiles
from .tanh_guard import exponentials, largest

HEAVY = 2.0**16
"""Weights above are scaled down first, for they meet products of several exponentials."""


def tanh_pairing(query: Tensor, key: Tensor, weight: Tensor) -> Tensor:
    r"""Weighted sums of the tangents of all sums of a query and a key.

    Equals ``torch.tanh(query.unsqueeze(-2) + key.unsqueeze(-3)) @ weight`` up to rounding of the
    weights' sum, for vectors of any size, infinities included; a NaN shows wherever it has a part.
    Time O(Q K A), memory O(Q K + (Q + K) A), and O((Q + K) A) is kept for the backward pass. There
    are no second derivatives.

    Args:
        query: (*B, Q, A), float32 or float64.
        key: (*B, K, A), of the same dtype; leading axes broadcast.
        weight: (A,).

    Returns:
        Scores (*B, Q, K).
    """
    device = query.device.type
    if torch.is_autocast_enabled(device):
        with torch.autocast(device, enabled=False):
            return tanh_pairing(query, key, weight)
    batch = torch.broadcast_shapes(query.shape[:-2], key.shape[:-2])
    num_queries, num_keys, width = query.shape[-2], key.shape[-2], weight.shape[0]
    query = query.expand(*batch, num_queries, width)
    if key.shape[:-2].numel() == 1:  # shared by the batch, whose queries are then rows of one map
        query = query.reshape(1, batch.numel() * num_queries, width)
        key = key.reshape(1, num_keys, width)
    else:
        query = query.reshape(batch.numel(), num_queries, width)
        key = key.expand(*batch, num_keys, width).reshape(batch.numel(), num_keys, width)
    return _pair(query, key, weight).view(*batch, num_queries, num_keys)


def _pair(query: Tensor, key: Tensor, weight: Tensor) -> Tensor:
    """Scores (B, Q, K) by the form that is exact for these numbers."""
    if 0 in (query.numel(), key.numel()):
        return torch.tanh(query.unsqueeze(-2) + key.unsqueeze(-3)) @ weight
    if largest(query) + largest(key) <= tanh_series.SMALL[query.dtype]:
        return tanh_series.pair(query, key, weight)
    heaviest = largest(weight)
    if isfinite(heaviest) and heaviest > HEAVY:
        scale = 2.0 ** frexp(heaviest)[1]
        return _exponential(query, key, weight / scale) * scale
    return _exponential(query, key, weight)


class _Pairing(torch.autograd.Function):
    """From exponentials; the backward pass makes them again, so that only vectors are kept."""

    @staticmethod
    def forward(ctx: FunctionCtx, query: Tensor, key: Tensor, weight: Tensor) -> Tensor:
        """Scores (B, Q, K) from (B, Q, A), (B, K, A) and (A,)."""
        ctx.save_for_backward(query, key, weight)
        left, right, wide = exponentials(query, key)
        if not wide:
            return _backend(query).pair(left, right, weight)
        scores = _backend(query).pair(left, right, weight.index_fill(0, _index(wide, weight), 0))
        tanh_tiles.add_wide(scores, query[..., wide], key[..., wide], weight[wide])
        return scores

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        r"""With s = 1 / (1 + e^{2(q + k)}): tanh = 1 − 2 s, and its derivative is 4 s (1 − s)."""
        query, key, weight = ctx.saved_tensors
        left, right, wide = exponentials(query, key)
        by_query, by_key, by_weight = _backend(query).pair_backward(left, right, gradient)
        if wide:
            parts = tanh_tiles.wide_backward(query[..., wide], key[..., wide], gradient)
            by_query[..., wide], by_key[..., wide], by_weight[wide] = parts
        slope = 4 * weight
        return slope * by_query, slope * by_key, (gradient.sum() - 2 * by_weight).to(weight.dtype)


_exponential: Callable[[Tensor, Tensor, Tensor], Tensor] = _Pairing.apply


def _backend(query: Tensor) -> Any:
    """The compiled kernels where they can run, torch's operations elsewhere."""
    if query.device.type == "cpu" and numba_available():
        from ..kernels import tanh_numba

        return tanh_numba
    return tanh_tiles


def _index(features: list[int], like: Tensor) -> Tensor:
    return torch.tensor(features, device=like.device)
