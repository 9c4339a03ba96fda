"""Attention in one fused call: scores that are inner products, weights that are a softmax."""

from dataclasses import replace

import torch

from regard.types import Float, Tensor

from ..forms import Inner, Tile
from ..masks import Mask
from .call import Call
from .kernel import fused_kernel
from .stream import stream


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
