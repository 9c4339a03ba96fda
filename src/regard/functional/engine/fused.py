"""Attention in one fused call: scores that are inner products, weights that are a softmax.

In a sliding window queries are cut into bands of equal height; the keys that a band may see are a
stretch of the sequence, so all bands together are one batch of small, dense attentions. Time and
memory are linear in the length, and there is no loop.
"""

from dataclasses import replace

import torch
from torch.nn.functional import pad, scaled_dot_product_attention

from regard.kernels.derivatives import transformed
from regard.types import Bool, Float, Tensor

from ..forms import Inner, Tile
from ..masks import Mask
from .call import Call
from .kernel import fused_kernel
from .stream import stream
from .unseen import finite, telling

BAND = 64
"""Queries in a band."""


def fits_fused(mask: Mask | None) -> bool:
    """Whether the kernel takes this mask without a map being built for it."""
    if mask is None or mask.is_stored:
        return True
    return all(part.is_causal or part.key_lengths() is not None for part in mask.conditions)


def fused(call: Call) -> Float[Tensor, "*B Q E"]:
    """The context, from one fused call; in row blocks where an inner product would lose digits."""
    inner, value = inner_of(call), call.value
    if inner is None:
        return stream(call)
    mask = call.mask
    if mask is None or mask.is_causal:
        return fused_kernel(inner, value, causal=mask is not None)
    axes = len(call.leading) + 2
    if mask.is_stored:
        at = Tile(range(call.num_queries), range(call.num_keys), value.device)
        return fused_kernel(inner, value, allowed=mask.allowed(at, axes))
    told = [part.key_lengths() for part in mask.conditions]
    ends = [lengths for lengths in told if lengths is not None]
    for lengths in ends:
        inner, value = _cut(inner, value, lengths.longest)
    bias = None
    for lengths in ends:
        if lengths.shortest < value.shape[-2]:
            own = lengths.bias(value.shape[-2], axes, inner.query)
            bias = own if bias is None else bias + own
    return fused_kernel(inner, value, allowed=bias, causal=len(ends) < len(told))


def kernel_factor(call: Call) -> float | None:
    """The factor of the kernel, where it takes queries and the keys that count as they are.

    ``None`` where anything else is to be done before it or behind it, as a gradient's definition,
    or where nobody can look whether what is masked has spoilt it.
    """
    mask = call.mask
    if mask is not None and not call.query.is_cpu:
        return None
    bare = mask is None or mask.is_causal or mask.key_lengths() is not None
    q, k, v = call.query.shape, call.key.shape, call.value.shape
    fits = len(q) == 4 and k == v and (*q[:2], q[3]) == (*k[:2], k[3])
    return call.score.plain_factor(q[3]) if bare and fits and not call.needs_grad else None


def at_once(
    query: Tensor, key: Tensor, value: Tensor, mask: Mask | None, factor: float
) -> Float[Tensor, "B H Q E"] | None:
    """The context of a call with a :func:`kernel_factor`, by the kernel and nothing else.

    ``None`` where what is masked may have spoilt it.
    """
    if mask is None:
        return scaled_dot_product_attention(query, key, value, scale=factor)
    if torch._C._get_tracing_state() is not None:
        return None  # nobody can look in there
    ends, bias = mask.key_lengths(), None
    if ends is not None:
        if 0 < ends.longest < key.shape[-2]:
            key, value = key[..., : ends.longest, :], value[..., : ends.longest, :]
        if ends.shortest < key.shape[-2]:
            bias = ends.bias(key.shape[-2], 4, query)
    causal = ends is None
    context = scaled_dot_product_attention(
        query, key, value, attn_mask=bias, is_causal=causal, scale=factor
    )
    return context if finite(telling(context, causal=causal)) else None


def inner_of(call: Call) -> Inner | None:
    """The score as an inner product; ``None`` where it would lose digits.

    In a graph that is compiled nobody can look whether it would: then in float64, which does not.
    """
    inner = call.score.inner(call.query, call.key, call.mask)
    if inner is None and torch.compiler.is_compiling():
        return call.score.inner(call.query.double(), call.key.double(), call.mask)
    return inner


def _cut(inner: Inner, value: Tensor, length: int) -> tuple[Inner, Tensor]:
    """Without the keys behind ``length``, unless that would leave none."""
    if not 0 < length < value.shape[-2]:
        return inner, value
    bias = None if inner.key_bias is None else inner.key_bias[..., :length]
    return replace(inner, key=inner.key[..., :length, :], key_bias=bias), value[..., :length, :]


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
