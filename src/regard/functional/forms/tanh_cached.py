"""Additive scores of decoding steps, with the exponentials of the keys cached.

A decoder looks at the same keys in every step, with one query. For a single look nothing beats the
definition, since exponentials of all keys cost as much as tangents. From the second look on they
are kept in :class:`Looks`, which belongs to whoever owns the keys, and a step is left with
multiplications and shared divisions (:mod:`regard.kernels.tanh_numba`). For the backward pass only
vectors are kept, not a tensor of keys × features per step.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from regard.kernels.derivatives import differentiated_again, gradients_of

from . import tanh_series
from .tanh_definition import definition
from .tanh_guard import LIMIT, largest


class CachedKey(NamedTuple):
    """A key made ready for the kernels."""

    size: float
    """Its largest absolute value."""
    exponentials: Any
    """e^{2k}, (B, A, K)."""


class _Seen(NamedTuple):
    key: Tensor
    version: int
    kept: CachedKey | None


class Looks:
    """Looks at one key after another, and what is kept of the last from its second look on.

    Held by the owner of the key, such as the memory of a decoder, and gone with it. Nothing else
    remembers a key: no other tensor can be taken for it, and one changed by an operation of torch
    is looked at anew. Writing past torch, by NumPy or ``.data``, is for the owner to tell, by other
    looks.
    """

    def __init__(self) -> None:
        self._seen: _Seen | None = None

    def at(self, key: Tensor) -> CachedKey | None:
        """What is kept of a key (*B, K, A); at the first look it is only remembered.

        Nothing is kept of a key made in inference mode: its changes are not counted.
        """
        if key.is_inference():
            return None
        seen = self._seen
        if seen is None or seen.key is not key or seen.version != key._version:
            self._seen = _Seen(key, key._version, None)
            return None
        if seen.kept is None:
            self._seen = seen = seen._replace(kept=_prepared(key))
        return seen.kept


def pair_cached(query: Tensor, key: Tensor, weight: Tensor, kept: CachedKey) -> Tensor | None:
    """Scores (B, Q, K) from (B, Q, A), (B, K, A) and (A,); None where the definition is needed."""
    limit = LIMIT[query.dtype]
    # Of a NaN no comparison is true, so that the definition shows it.
    if not (tanh_series.SMALL[query.dtype] < 2 * kept.size <= 2 * limit):
        return None
    if not largest(query, weight) <= limit:  # weights meet products of several exponentials
        return None
    return _pair(query, key, weight, kept)


def _prepared(key: Tensor) -> CachedKey:
    from regard.kernels.turned_numba import keys_last

    flat = key.detach().flatten(0, -3) if key.dim() > 2 else key.detach().unsqueeze(0)
    return CachedKey(largest(flat), keys_last((2 * flat).exp_()))


class _Pairing(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, query: Tensor, key: Tensor, weight: Tensor, kept: CachedKey) -> Tensor:
        """Scores (B, Q, K) from (B, Q, A), (B, K, A) and (A,)."""
        from regard.kernels import tanh_numba

        ctx.save_for_backward(query, key, weight)
        ctx.kept = kept
        return tanh_numba.pair_turned((2 * query).exp_(), kept.exponentials, weight)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients of all three from that of the scores."""
        from regard.kernels import tanh_numba

        query, key, weight = ctx.saved_tensors
        if differentiated_again(gradient):
            return *gradients_of(definition, (query, key, weight), gradient), None
        left = (2 * query).exp_()
        found = tanh_numba.pair_turned_backward(left, ctx.kept.exponentials, weight, gradient)
        return *found, None


_pair: Callable[[Tensor, Tensor, Tensor, CachedKey], Tensor] = _Pairing.apply
