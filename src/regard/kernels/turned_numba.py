"""Memory layout of the additive kernels: features in groups of four, keys innermost."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from .jit import jit

Array = np.ndarray[Any, Any]


def in_fours(vectors: Tensor) -> Tensor:
    """Zeros appended to the last axis: with e^{2 q} = 0 and weight 0 a feature adds nothing."""
    missing = -vectors.shape[-1] % 4
    return torch.nn.functional.pad(vectors, (0, missing)) if missing else vectors.contiguous()


def keys_last(key: Tensor) -> Array:
    """(B, A, K) from (B, K, A), contiguous, A filled up with zeros."""
    batch, num_keys, width = key.shape
    lying = key.contiguous().numpy()
    turned = np.zeros((batch, width + -width % 4, num_keys), lying.dtype)
    turn(lying, turned)
    return turned


@jit()
def turn(matrices: Array, out: Array) -> None:
    """Swap the last two axes, a few columns at a time so that both sides stay in the cache."""
    batch, rows, width = matrices.shape
    for b in range(batch):
        for left in range(0, rows, 64):
            for d in range(width):
                for j in range(left, min(left + 64, rows)):
                    out[b, d, j] = matrices[b, j, d]
