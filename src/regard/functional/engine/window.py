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
from .call import Call
from .fused import inner_of
from .kernel import fused_kernel
from .stream import stream

BAND = 64
"""Queries in a band."""


def window_of(mask: Mask | None) -> tuple[int, int] | None:
    """Keys before and behind its own that a query sees, if the mask says nothing else."""
    found = None if mask is None else mask.reach()
    if found is None or found.left is None or found.right is None:
        return None
    return (found.left, found.right) if found.left >= 0 <= found.right else None


def window(call: Call) -> Float[Tensor, "*B Q E"]:
    """The context, band by band; in row blocks where an inner product would lose digits."""
    found = window_of(call.mask)
    assert found is not None
    left, right = found
    inner = inner_of(call)
    if inner is None or transformed():  # torch.func knows no fast derivative of overlapping bands
        return stream(call)
    inner = inner.columned()
    query, key, value = (_flat(x, call.leading) for x in (inner.query, inner.key, call.value))
    bands = -(-call.num_queries // BAND)
    query = pad(query, (0, 0, 0, bands * BAND - call.num_queries))
    key, value = (_stretches(x, bands, left, right) for x in (key, value))
    context = fused_kernel(
        Inner(query.unflatten(-2, (bands, BAND)), key, inner.scale),
        value,
        allowed=_allowed(bands, left, right, call.num_keys, query.device),
    )
    context = context.flatten(-3, -2)[..., : call.num_queries, :]
    return context.reshape(*call.leading, *context.shape[-2:])


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
