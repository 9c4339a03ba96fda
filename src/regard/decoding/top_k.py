"""Top-k and log-sum-exp of long rows, and NumPy for the bookkeeping of searches.

NumPy, not torch: on arrays as small as these, most of an operation of torch is to call it.
"""

from typing import Any, NamedTuple

import numpy as np
import torch

from regard.types import Float, Int, Tensor

Array = np.ndarray


def whole(tensor: Tensor) -> Any:
    """The numbers of a tensor, wherever it is."""
    return tensor.numpy(force=True)


def highest(x: Float[Array, "B C"], count: int) -> Int[Array, "B c"]:
    """Where the ``count`` highest numbers of each row stand, or all of them, the highest first."""
    return np.argsort(-x, axis=-1, kind="stable")[:, :count]


BLOCK = 64
"""Neighbours that are first seen as one."""
SMALL = 2**16
"""Numbers that are searched faster than they are arranged."""
FEW = 2**19
"""Numbers whose highest NumPy finds on one thread sooner than torch on all."""
ROWS_AT_ONCE = 64
"""Rows whose exponentials fit into a cache."""


class Top(NamedTuple):
    """The highest numbers of each row, falling, and where they stand."""

    values: Float[Tensor, "R k"]
    indices: Int[Tensor, "R k"]


def top(x: Float[Tensor, "R V"], count: int) -> Top:
    """The ``count`` highest numbers of each row, or all.

    Long rows are reduced to the maxima of blocks: the ``count`` highest numbers stand in the
    ``count`` blocks with the highest maxima.
    """
    if count == 1 and x.numel() <= FEW and x.device.type == "cpu":
        return _highest(x)
    blocks, width = x.shape[1] // BLOCK, x.shape[1]
    if blocks <= 2 * count or x.numel() <= SMALL:
        return Top(*x.topk(min(count, width), dim=-1))
    full = x[:, : blocks * BLOCK].unflatten(1, (blocks, BLOCK))
    chosen = full.amax(dim=-1).topk(count, dim=-1).indices  # (R, k)
    each = torch.arange(len(x), device=x.device).unsqueeze(-1)
    pool = torch.cat([full[each, chosen].flatten(1), x[:, blocks * BLOCK :]], dim=1)
    values, places = pool.topk(count, dim=-1)
    block, within = places // BLOCK, places % BLOCK
    rest = block >= count
    begin = chosen.gather(1, block.clamp(max=count - 1)) * BLOCK
    behind = places + (blocks - count) * BLOCK
    return Top(values, torch.where(rest, behind, begin + within))


def _highest(x: Float[Tensor, "R V"]) -> Top:
    places = torch.from_numpy(whole(x).argmax(axis=-1)).unsqueeze(-1)
    return Top(x.gather(1, places), places)


def log_total(x: Float[Tensor, "R V"]) -> Float[Tensor, "R 1"]:
    """Logarithm of the sum of the exponentials of each row."""
    if len(x) <= ROWS_AT_ONCE:
        return _log_total(x)
    return torch.cat([_log_total(rows) for rows in x.split(ROWS_AT_ONCE)])


def _log_total(x: Float[Tensor, "R V"]) -> Float[Tensor, "R 1"]:
    highest = x.amax(dim=-1, keepdim=True)
    return (x - highest).exp_().sum(dim=-1, keepdim=True).log_().add_(highest)
