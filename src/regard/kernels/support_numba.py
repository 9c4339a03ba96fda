"""The backward pass of attention with sparse weights, compiled: only the support costs anything.

Where a weight of the entmax family is zero, no gradient flows. So instead of four matrix products
over all pairs, every row visits the few keys it has a weight for. Threads share out the maps of
the batch, so that no two of them add to the same key.
"""

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from .jit import jit
from .threads import over_rows

Array = np.ndarray[Any, Any]

SCAN = 6e-10
"""Seconds per weight on one thread, roughly."""


class Gradients(NamedTuple):
    """Of query (B, Q, D), key (B, K, D) and value (B, K, E)."""

    query: Tensor
    key: Tensor
    value: Tensor


def support_backward(
    weights: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    gradient: Tensor,
    *,
    alpha: float,
    scale: float,
) -> Gradients:
    r"""Gradients of alpha-entmax attention over ``scale * <query, key>``, for alpha up to 2.

    With :math:`s = \alpha_k^{2 - \alpha}` on the support and x the gradient of the weights, that of
    the scores is :math:`s (x - \sum s x / \sum s)`.

    Args:
        weights: (B, Q, K).
        query: (B, Q, D).
        key: (B, K, D).
        value: (B, K, E).
        gradient: of the context, (B, Q, E).
        alpha: of the entmax family.
        scale: of the inner product.
    """
    w, q, k, v, g = map(_array, (weights, query, key, value, gradient))
    sums = Gradients(*(torch.zeros(x.shape, dtype=x.dtype) for x in (query, key, value)))
    by_query, by_key, by_value = map(_array, sums)
    arrays = w, q, k, v, g, alpha, scale, by_query, by_key, by_value
    over_rows(support_rows, len(weights), weights.numel() * SCAN, *arrays)
    return sums


def _array(tensor: Tensor) -> Array:
    # Tensor.numpy would keep torch from ever resizing the memory, as FSDP does with parameters.
    return np.from_dlpack(tensor.detach().contiguous())


@jit()
def support_rows(
    begin: int,
    end: int,
    weights: Array,
    query: Array,
    key: Array,
    value: Array,
    gradient: Array,
    alpha: float,
    scale: float,
    by_query: Array,
    by_key: Array,
    by_value: Array,
) -> None:
    """Add the gradients of the maps ``begin:end``."""
    num_keys, width, depth = weights.shape[2], query.shape[2], value.shape[2]
    columns = np.empty(num_keys + 1, np.int64)
    slopes, through = np.empty(num_keys), np.empty(num_keys)
    for b in range(begin, end):
        for i in range(query.shape[1]):
            count = 0
            for j in range(num_keys):
                columns[count] = j
                count += weights[b, i, j] != 0
            total = mean = 0.0
            for s in range(count):
                j = columns[s]
                weight = weights[b, i, j]
                passed = gradient.dtype.type(0)
                for e in range(depth):
                    passed += gradient[b, i, e] * value[b, j, e]
                    by_value[b, j, e] += weight * gradient[b, i, e]
                slope = (
                    1.0 if alpha == 2 else sqrt(weight) if alpha == 1.5 else weight ** (2 - alpha)
                )
                slopes[s], through[s] = slope, passed
                total += slope
                mean += slope * passed
            mean /= max(total, 1e-300)
            for s in range(count):
                j = columns[s]
                share = query.dtype.type(scale * slopes[s] * (through[s] - mean))
                for d in range(width):
                    by_query[b, i, d] += share * key[b, j, d]
                    by_key[b, j, d] += share * query[b, i, d]
