"""Sparsemax and entmax of a block of rows by compiled kernels."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from .threads import over_rows

Array = np.ndarray[Any, Any]

POWERS = {2.0: 1, 1.5: 2}
"""1 / (alpha - 1) where there is a kernel of its own."""
SECONDS = 1e-9
"""About what one thread takes for one score."""


def weights(scores: Tensor, allowed: Tensor | None, alpha: float) -> Tensor:
    """Alpha-entmax over the last axis of a CPU tensor of float32 or float64, not empty.

    Args:
        scores: (*B, K).
        allowed: boolean, broadcastable to ``scores``; ``None`` allows all.
        alpha: above 1.
    """
    from .entmax_numba import entmax_rows
    from .threshold_numba import threshold_rows

    result = torch.empty(scores.shape, dtype=scores.dtype)
    different, which = _mask(allowed, scores.shape)
    block = (_rows(scores), different, which, _rows(result))
    above = 1e-9 if scores.dtype == torch.float32 else 1e-13

    def work(start: int, stop: int) -> None:
        if alpha in POWERS:
            threshold_rows(start, stop, *block, POWERS[alpha])
        else:
            entmax_rows(start, stop, *block, alpha, above)

    over_rows(work, len(block[0]), scores.numel() * SECONDS)
    return result


def gradient(weights: Tensor, grad: Tensor, alpha: float) -> Tensor:
    """Gradient of the scores, from the weights and their gradient, both (*B, K)."""
    from .entmax_numba import entmax_gradient_rows
    from .threshold_numba import threshold_gradient_rows

    result = torch.empty(weights.shape, dtype=weights.dtype)
    block = (_rows(weights), _rows(grad), _rows(result))

    def work(start: int, stop: int) -> None:
        if alpha in POWERS:
            threshold_gradient_rows(start, stop, *block, POWERS[alpha])
        else:
            entmax_gradient_rows(start, stop, *block, alpha)

    over_rows(work, len(block[0]), weights.numel() * SECONDS)
    return result


def _rows(tensor: Tensor) -> Array:
    """The memory of a tensor as rows; a copy only where its rows are not one after the other."""
    return tensor.detach().reshape(-1, tensor.shape[-1]).contiguous().numpy()


def _mask(allowed: Tensor | None, shape: torch.Size) -> tuple[Array, Array]:
    """The different rows of the mask, and which of them belongs to each row of scores.

    Axes along which the mask is only repeated, by broadcasting or by ``expand``, are not copied.
    """
    if allowed is None:
        return np.empty((0, shape[-1]), np.bool_), np.empty(0, np.int64)
    for axis in range(allowed.dim() - 1):
        if allowed.stride(axis) == 0:
            allowed = allowed.narrow(axis, 0, 1)
    allowed = allowed.expand(*allowed.shape[:-1], shape[-1])
    different = _rows(allowed)
    index = torch.arange(len(different)).reshape(allowed.shape[:-1]).expand(shape[:-1])
    return different, index.reshape(-1).numpy()
