"""The backward pass of attention with sparse weights, compiled: only the support costs anything.

Where a weight of the entmax family is zero, no gradient flows. So instead of four matrix products
over all pairs, every row visits the few keys it has a weight for. Threads share out the maps of
the batch, so that no two of them add to the same key.
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from .threads import over_rows

Array = np.ndarray[Any, Any]

SPARSE = 1 / 32
"""Share of weights that are not zero below which visiting them beats matrix products."""

SCAN = 6e-10
"""Seconds per weight on one thread, roughly."""


class Gradients(NamedTuple):
    """Of query (B, Q, D), key (B, K, D) and value (B, K, E)."""

    query: Tensor
    key: Tensor
    value: Tensor


def is_sparse(weights: Tensor) -> bool:
    """Whether the first rows of each map have few weights."""
    sample = weights[..., :2, :]
    return int(torch.count_nonzero(sample)) <= SPARSE * sample.numel()


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
    from .support_numba import support_rows

    w, q, k, v, g = map(_array, (weights, query, key, value, gradient))
    sums = Gradients(*(torch.zeros(x.shape, dtype=x.dtype) for x in (query, key, value)))
    by_query, by_key, by_value = map(_array, sums)

    def work(begin: int, end: int) -> None:
        support_rows(w, q, k, v, g, alpha, scale, begin, end, by_query, by_key, by_value)

    over_rows(work, len(weights), weights.numel() * SCAN)
    return sums


def _array(tensor: Tensor) -> Array:
    # Tensor.numpy would keep torch from ever resizing the memory, as FSDP does with parameters.
    return np.from_dlpack(tensor.detach().contiguous())
