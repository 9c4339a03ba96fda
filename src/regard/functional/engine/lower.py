"""Attention in one fused call: scores that are inner products, weights that are a softmax."""

from dataclasses import replace

import torch

from regard.types import Float, Tensor

from ..forms import At, Inner
from ..masks import Mask
from .fused import fused
from .stream import stream
from .task import Task


def lowers(mask: Mask | None) -> bool:
    """Whether the kernel takes this mask without a map being built for it."""
    if mask is None or mask.is_stored:
        return True
    return all(part.is_causal or part.key_lengths() is not None for part in mask.conditions)


def lower(task: Task) -> Float[Tensor, "*B Q E"]:
    """The context, from one fused call; in row blocks where an inner product would lose digits."""
    inner, value = inner_of(task), task.value
    if inner is None:
        return stream(task)
    mask = task.mask
    if mask is None or mask.is_causal:
        return fused(inner, value, causal=mask is not None)
    axes = len(task.leading) + 2
    if mask.is_stored:
        at = At(range(task.num_queries), range(task.num_keys), value.device)
        return fused(inner, value, allowed=mask.allowed(at, axes))
    told = [part.key_lengths() for part in mask.conditions]
    ends = [lengths for lengths in told if lengths is not None]
    for lengths in ends:
        inner, value = _cut(inner, value, lengths.longest)
    bias = None
    for lengths in ends:
        if lengths.shortest < value.shape[-2]:
            own = lengths.bias(value.shape[-2], axes, inner.query)
            bias = own if bias is None else bias + own
    return fused(inner, value, allowed=bias, causal=len(ends) < len(told))


def inner_of(task: Task) -> Inner | None:
    """The score as an inner product; ``None`` where it would lose digits.

    In a graph that is compiled nobody can look whether it would: then in float64, which does not.
    """
    inner = task.score.inner(task.query, task.key, task.mask)
    if inner is None and torch.compiler.is_compiling():
        return task.score.inner(task.query.double(), task.key.double(), task.mask)
    return inner


def _cut(inner: Inner, value: Tensor, length: int) -> tuple[Inner, Tensor]:
    """Without the keys behind ``length``, unless that would leave none."""
    if not 0 < length < value.shape[-2]:
        return inner, value
    bias = None if inner.key_bias is None else inner.key_bias[..., :length]
    return replace(inner, key=inner.key[..., :length, :], key_bias=bias), value[..., :length, :]
