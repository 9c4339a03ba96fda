"""Attention in one fused call: scores that are inner products, weights that are a softmax."""

from dataclasses import replace

import torch

from regard.types import Float, Tensor

from ..forms import At, Inner
from ..masks import And, Causal, Dense, Mask, Padding
from .fused import fused
from .stream import stream
from .task import Task


def lowers(mask: Mask | None) -> bool:
    """Whether the kernel takes this mask without a map being built for it."""
    if isinstance(mask, And):
        return all(_is_causal(part) or isinstance(part, Padding) for part in mask.parts)
    return mask is None or isinstance(mask, Dense | Padding) or _is_causal(mask)


def lower(task: Task) -> Float[Tensor, "*B Q E"]:
    """The context, from one fused call; in row blocks where an inner product would lose digits."""
    inner, value = inner_of(task), task.value
    if inner is None:
        return stream(task)
    if task.mask is None or _is_causal(task.mask):
        return fused(inner, value, causal=task.mask is not None)
    parts = task.mask.parts if isinstance(task.mask, And) else (task.mask,)
    causal, allowed, axes = False, None, len(task.leading) + 2
    for part in parts:
        if isinstance(part, Padding):
            inner, value = _cut(inner, value, part.longest)
    for part in parts:
        if _is_causal(part):
            causal = True
        elif not isinstance(part, Padding):
            at = At(range(task.num_queries), range(value.shape[-2]), value.device)
            allowed = part.allowed(at, axes)
        elif part.shortest < value.shape[-2]:
            bias = part.bias(value.shape[-2], axes, inner.query)
            allowed = bias if allowed is None else allowed + bias
    return fused(inner, value, allowed=allowed, causal=causal)


def inner_of(task: Task) -> Inner | None:
    """The score as an inner product; ``None`` where it would lose digits.

    In a graph that is compiled nobody can look whether it would: then in float64, which does not.
    """
    inner = task.score.inner(task.query, task.key, task.mask)
    if inner is None and torch.compiler.is_compiling():
        return task.score.inner(task.query.double(), task.key.double(), task.mask)
    return inner


def _is_causal(mask: Mask) -> bool:
    return isinstance(mask, Causal) and mask.offset == 0


def _cut(inner: Inner, value: Tensor, length: int) -> tuple[Inner, Tensor]:
    """Without the keys behind ``length``, unless that would leave none."""
    if not 0 < length < value.shape[-2]:
        return inner, value
    bias = None if inner.key_bias is None else inner.key_bias[..., :length]
    return replace(inner, key=inner.key[..., :length, :], key_bias=bias), value[..., :length, :]
