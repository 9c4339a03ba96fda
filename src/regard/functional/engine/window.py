"""Softmax attention in a sliding window: all bands of the map in one fused call.

Queries are cut into bands of equal height; the keys that a band may see are a stretch of the
sequence, so all bands together are one batch of small, dense attentions. Time and memory are
linear in the length, and there is no loop.
"""

import torch
from torch.nn.functional import pad

from regard.kernels.derivatives import transformed
from regard.types import Bool, Float, Tensor

from ..forms import Inner
from ..masks import Mask
from .fused import fused
from .lower import inner_of
from .stream import stream
from .task import Task

BAND = 64
"""Queries in a band."""


def reach(mask: Mask | None) -> tuple[int, int] | None:
    """Keys before and behind its own that a query sees, if the mask says nothing else."""
    found = None if mask is None else mask.reach()
    if found is None or found.left is None or found.right is None:
        return None
    return (found.left, found.right) if found.left >= 0 <= found.right else None


def window(task: Task) -> Float[Tensor, "*B Q E"]:
    """The context, band by band; in row blocks where an inner product would lose digits."""
    found = reach(task.mask)
    assert found is not None
    left, right = found
    inner = inner_of(task)
    if inner is None or transformed():  # torch.func knows no fast derivative of overlapping bands
        return stream(task)
    inner = inner.columned()
    query, key, value = (_flat(x, task.leading) for x in (inner.query, inner.key, task.value))
    bands = -(-task.num_queries // BAND)
    query = pad(query, (0, 0, 0, bands * BAND - task.num_queries))
    key, value = (_stretches(x, bands, left, right) for x in (key, value))
    context = fused(
        Inner(query.unflatten(-2, (bands, BAND)), key, inner.scale),
        value,
        allowed=_allowed(bands, left, right, task.num_keys, query.device),
    )
    context = context.flatten(-3, -2)[..., : task.num_queries, :]
    return context.reshape(*task.leading, *context.shape[-2:])


def _flat(x: Tensor, leading: tuple[int, ...]) -> Float[Tensor, "G N D"]:
    return x.expand(*leading, *x.shape[-2:]).reshape(-1, *x.shape[-2:])


def _stretches(x: Tensor, bands: int, left: int, right: int) -> Float[Tensor, "G bands S D"]:
    """The positions each band may see; zeros stand beyond the ends."""
    behind = bands * BAND + right - x.shape[-2]
    return pad(x, (0, 0, left, behind)).unfold(-2, left + BAND + right, BAND).mT


def _allowed(
    bands: int, left: int, right: int, num_keys: int, device: torch.device
) -> Bool[Tensor, "bands BAND S"]:
    """Within reach, and within the sequence."""
    row = torch.arange(BAND, device=device).unsqueeze(-1)
    column = torch.arange(left + BAND + right, device=device)
    near = (column >= row) & (column <= row + left + right)
    key = torch.arange(bands, device=device).view(-1, 1, 1) * BAND + column - left
    return near & (key >= 0) & (key < num_keys)
