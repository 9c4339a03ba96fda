r"""Additive scores of all pairs without the tensor of all pairs and features.

.. math:: e_{qk} = \sum_a w_a \tanh(q_{qa} + k_{ka})

tanh(q + k) = 1 − 2 / (1 + e^{2q} e^{2k}): exponentials are taken once per vector, and a pair costs
some multiplications and a shared division (:mod:`regard.kernels.tanh_numba` compiled,
:mod:`.tanh_tiles` otherwise). :mod:`.tanh_guard` keeps that exact for large vectors,
:mod:`.tanh_series` for tiny ones.
"""

from collections.abc import Callable
from math import frexp, isfinite
from typing import Any

import torch
from torch import Tensor

from regard.kernels.available import numba_available
from regard.kernels.derivatives import differentiated_again, gradients_of, transformed

from ..tensors import broadcast_shapes
from . import tanh_cached, tanh_series, tanh_tiles
from .tanh_definition import definition
from .tanh_guard import exponentials, largest

LITTLE_COMPILED, LITTLE = 2**17, 2**20
"""Pairs times features up to which the definition is faster than kernels, and than tiles."""

THIN = 4
"""How many times larger than the vectors the tensor of all pairs may be for the same to hold."""

HEAVY = 2.0**16
"""Weights above are scaled down first, for they meet products of several exponentials."""


def tanh_pairing(
    query: Tensor, key: Tensor, weight: Tensor, *, looks: tanh_cached.Looks | None = None
) -> Tensor:
    r"""Weighted sums of the tangents of all sums of a query and a key.

    Equals ``torch.tanh(query.unsqueeze(-2) + key.unsqueeze(-3)) @ weight`` up to rounding of the
    weights' sum, for vectors of any size, infinities included; a NaN shows wherever it has a part.
    Time O(Q K A), memory O(Q K + (Q + K) A), and O((Q + K) A) is kept for the backward pass. Second
    and forward derivatives, and ``torch.func``, take the definition with its O(Q K A) memory.

    Args:
        query: (*B, Q, A), float32 or float64.
        key: (*B, K, A), of the same dtype; leading axes broadcast.
        weight: (A,).
        looks: where to keep what further looks at the same key need.

    Returns:
        Scores (*B, Q, K).
    """
    if transformed():
        return definition(query, key, weight)
    device = query.device.type
    if torch.is_autocast_enabled(device):
        with torch.autocast(device, enabled=False):
            return tanh_pairing(query, key, weight, looks=looks)
    batch = broadcast_shapes(query.shape[:-2], key.shape[:-2])
    num_queries, num_keys, width = query.shape[-2], key.shape[-2], weight.shape[0]
    shown, query = key, query.expand(*batch, num_queries, width)
    if key.shape[:-2].numel() == 1:  # shared by the batch, whose queries are then rows of one map
        query = query.reshape(1, batch.numel() * num_queries, width)
        key = key.reshape(1, num_keys, width)
    else:
        query = query.reshape(batch.numel(), num_queries, width)
        key = key.expand(*batch, num_keys, width).reshape(batch.numel(), num_keys, width)
    if looks is not None and _is_thin(query, key) and key.numel() == shown.numel():
        kept = looks.at(shown)
        scores = None if kept is None else tanh_cached.pair_cached(query, key, weight, kept)
        if scores is not None:
            return scores.view(*batch, num_queries, num_keys)
    return _pair(query, key, weight).view(*batch, num_queries, num_keys)


def _pair(query: Tensor, key: Tensor, weight: Tensor) -> Tensor:
    """Scores (B, Q, K) by the form that is exact for these numbers."""
    if _is_little(query, key):
        return definition(query, key, weight)
    size, heaviest = largest(query, key), largest(weight)
    if 2 * size <= tanh_series.SMALL[query.dtype]:
        return tanh_series.pair(query, key, weight)
    if isfinite(heaviest) and heaviest > HEAVY:
        scale = 2.0 ** frexp(heaviest)[1]
        return _exponential(query, key, weight / scale, size) * scale
    return _exponential(query, key, weight, size)


def _is_little(query: Tensor, key: Tensor) -> bool:
    """True where all pairs and features make a tensor so small that nothing beats building it."""
    vectors, pairs = query.numel() + key.numel(), query.numel() * key.shape[1]
    return pairs <= max(LITTLE_COMPILED if _compiled(query) else LITTLE, THIN * vectors)


def _is_thin(query: Tensor, key: Tensor) -> bool:
    """True for a few queries and many keys: worth it to keep what is made of the keys."""
    many = key.numel() > LITTLE_COMPILED
    return many and query.numel() > 0 and _compiled(query) and _is_little(query, key)


class _Pairing(torch.autograd.Function):
    """From exponentials; the backward pass makes them again, so that only vectors are kept."""

    @staticmethod
    def forward(ctx: Any, query: Tensor, key: Tensor, weight: Tensor, size: float) -> Tensor:
        """Scores (B, Q, K) from (B, Q, A), (B, K, A) and (A,), and the largest number in them."""
        ctx.save_for_backward(query, key, weight)
        ctx.size = size
        left, right, wide = exponentials(query, key, size=size)
        if not wide:
            return _backend(query).pair(left, right, weight)
        scores = _backend(query).pair(left, right, weight.index_fill(0, _index(wide, weight), 0))
        tanh_tiles.add_wide(scores, query[..., wide], key[..., wide], weight[wide])
        return scores

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients of all three from that of the scores."""
        query, key, weight = ctx.saved_tensors
        if differentiated_again(gradient):
            return *gradients_of(definition, (query, key, weight), gradient), None
        left, right, wide = exponentials(query, key, size=ctx.size)
        gradients = _backend(query).pair_backward(left, right, weight, gradient)
        if wide:
            some = tanh_tiles.wide_backward(
                query[..., wide], key[..., wide], weight[wide], gradient
            )
            for whole, part in zip(gradients, some, strict=True):
                whole[..., wide] = part
        return *gradients, None


_exponential: Callable[[Tensor, Tensor, Tensor, float], Tensor] = _Pairing.apply


def _backend(query: Tensor) -> Any:
    """The compiled kernels where they can run, torch's operations elsewhere."""
    if _compiled(query):
        from regard.kernels import tanh_numba

        return tanh_numba
    return tanh_tiles


def _compiled(query: Tensor) -> bool:
    """True if numba's kernels can run; ``torch.compile`` sees through torch's operations only."""
    return query.device.type == "cpu" and not torch.compiler.is_compiling() and numba_available()


def _index(features: list[int], like: Tensor) -> Tensor:
    return torch.tensor(features, device=like.device)
