r"""The form of additive scores, without the tensor of all pairs and features.

.. math:: e_{qk} = \sum_a w_a \tanh(q_{qa} + k_{ka})

tanh(q + k) = 1 − 2 / (1 + e^{2q} e^{2k}): exponentials are taken once per vector, and a pair costs
some multiplications and a shared division (:mod:`regard.kernels.tanh_numba` compiled,
:mod:`.tanh_tiles` otherwise). :mod:`.tanh_guard` keeps that exact for large vectors and tiny ones.

A decoder looks at the same keys in every step, with one query. For a single look nothing beats the
definition, since exponentials of all keys cost as much as tangents. From the second look on they
are kept in :class:`Looks`, which belongs to whoever owns the keys, and a step is left with
multiplications and shared divisions. For the backward pass only vectors are kept, not a tensor of
keys × features per step.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import frexp, isfinite
from typing import Any, NamedTuple

import torch

from regard.kernels.available import numba_available
from regard.kernels.derivatives import (
    apply,
    defined_by,
    differentiated_again,
    gradients_of,
    transformed,
)
from regard.types import Float, Tensor

from ..tensors import broadcast_shapes
from . import tanh_tiles
from .base import Pairs, Sided, Tile, Vectors
from .tanh_guard import LIMIT, SMALL, exponentials, largest, series_pair

LITTLE_COMPILED, LITTLE = 2**17, 2**20
"""Pairs times features up to which the definition is faster than kernels, and than tiles."""

THIN = 4
"""How many times larger than the vectors the tensor of all pairs may be for the same to hold."""

HEAVY = 2.0**16
"""Weights above are scaled down first, for they meet products of several exponentials."""


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


@dataclass(frozen=True, eq=False)
class Tanh(Sided):
    r"""A weighted sum of hyperbolic tangents of sums.

    .. math:: e_{qk} = \sum_a v_a \tanh(q_{qa} + k_{ka})

    Args:
        query: projected queries (*B, Q, A).
        key: projected keys (*B, K, A).
        weight: v, (A,).
        looks: where to keep what further looks at the same keys need; nothing is kept if not given.
    """

    weight: Tensor
    looks: Looks | None = None

    @property
    def shared(self) -> Vectors:
        """The weight of each hidden feature."""
        return (self.weight,)

    def tile(self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile) -> Pairs:
        """The equation as it stands: builds a tensor of rows × columns × features."""
        return definition(*rows, *columns, *shared)

    def fast_tile(self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile) -> Pairs:
        """The same numbers without the hidden tensor.

        On a CPU from one exponential per vector; on a GPU the definition, fused by the compiler.
        """
        if not rows[0].is_cuda:
            return tanh_pairing(*rows, *columns, *shared, looks=self.looks)
        vectors = (*rows, *columns, *shared)
        if transformed():
            return definition(*vectors)
        return defined_by(definition, fused_definition()(*vectors), *vectors)


@cache
def fused_definition() -> Callable[..., Tensor]:
    """The definition as one compiled kernel, which never writes the hidden tensor to memory."""

    def pairing(query: Tensor, key: Tensor, weight: Tensor) -> Tensor:
        return (torch.tanh(query.unsqueeze(-2) + key.unsqueeze(-3)) * weight).sum(-1)

    return torch.compile(pairing, dynamic=True)


def definition(
    query: Float[Tensor, "*#B r A"], key: Float[Tensor, "*#B c A"], weight: Float[Tensor, " A"]
) -> Pairs:
    """The sum over features of weight · tanh(query + key), for all pairs."""
    hidden = torch.tanh(query.unsqueeze(-2) + key.unsqueeze(-3))  # (*B, r, c, A)
    return hidden @ weight


def tanh_pairing(
    query: Tensor, key: Tensor, weight: Tensor, *, looks: Looks | None = None
) -> Tensor:
    r"""Weighted sums of the tangents of all sums of a query and a key.

    Equals ``torch.tanh(query.unsqueeze(-2) + key.unsqueeze(-3)) @ weight`` up to rounding of the
    weights' sum, for vectors of any size, infinities included; a NaN shows wherever it has a part.
    Time O(Q K A), memory O(Q K + (Q + K) A), and O((Q + K) A) is kept for the backward pass. Second
    and forward derivatives, and ``torch.func``, take the definition with its O(Q K A) memory.

    Args:
        query: (*B, Q, A), float32 or float64.
        key: (*B, K, A), of the same dtype; leading axes broadcast.
        weight: (A,).
        looks: where to keep what further looks at the same key need.

    Returns:
        Scores (*B, Q, K).
    """
    if transformed():
        return definition(query, key, weight)
    device = query.device.type
    if torch.is_autocast_enabled(device):
        with torch.autocast(device, enabled=False):
            return tanh_pairing(query, key, weight, looks=looks)
    batch = broadcast_shapes(query.shape[:-2], key.shape[:-2])
    num_queries, num_keys, width = query.shape[-2], key.shape[-2], weight.shape[0]
    shown, query = key, query.expand(*batch, num_queries, width)
    if key.shape[:-2].numel() == 1:  # shared by the batch, whose queries are then rows of one map
        query = query.reshape(1, batch.numel() * num_queries, width)
        key = key.reshape(1, num_keys, width)
    else:
        query = query.reshape(batch.numel(), num_queries, width)
        key = key.expand(*batch, num_keys, width).reshape(batch.numel(), num_keys, width)
    if looks is not None and _is_thin(query, key) and key.numel() == shown.numel():
        kept = looks.at(shown)
        scores = None if kept is None else pair_cached(query, key, weight, kept)
        if scores is not None:
            return scores.view(*batch, num_queries, num_keys)
    return _pair(query, key, weight).view(*batch, num_queries, num_keys)


def _pair(query: Tensor, key: Tensor, weight: Tensor) -> Tensor:
    """Scores (B, Q, K) by the form that is exact for these numbers."""
    if _is_little(query, key):
        return definition(query, key, weight)
    size, heaviest = largest(query, key), largest(weight)
    if 2 * size <= SMALL[query.dtype]:
        return series_pair(query, key, weight)
    if isfinite(heaviest) and heaviest > HEAVY:
        scale = 2.0 ** frexp(heaviest)[1]
        return apply(_Pairing, query, key, weight / scale, size) * scale
    return apply(_Pairing, query, key, weight, size)


def _is_little(query: Tensor, key: Tensor) -> bool:
    """True where all pairs and features make a tensor so small that nothing beats building it."""
    vectors, pairs = query.numel() + key.numel(), query.numel() * key.shape[1]
    return pairs <= max(LITTLE_COMPILED if _compiled(query) else LITTLE, THIN * vectors)


def _is_thin(query: Tensor, key: Tensor) -> bool:
    """True for a few queries and many keys: worth it to keep what is made of the keys."""
    many = key.numel() > LITTLE_COMPILED
    return many and query.numel() > 0 and _compiled(query) and _is_little(query, key)


class _Pairing(torch.autograd.Function):
    """From exponentials; the backward pass makes them again, so that only vectors are kept."""

    @staticmethod
    def forward(ctx: Any, query: Tensor, key: Tensor, weight: Tensor, size: float) -> Tensor:
        """Scores (B, Q, K) from (B, Q, A), (B, K, A) and (A,), and the largest number in them."""
        ctx.save_for_backward(query, key, weight)
        ctx.size = size
        left, right, wide = exponentials(query, key, size=size)
        if not wide:
            return _backend(query).pair(left, right, weight)
        zeroed = weight.index_fill(0, torch.tensor(wide, device=weight.device), 0)
        scores = _backend(query).pair(left, right, zeroed)
        tanh_tiles.add_wide(scores, query[..., wide], key[..., wide], weight[wide])
        return scores

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients of all three from that of the scores."""
        query, key, weight = ctx.saved_tensors
        if differentiated_again(gradient):
            return *gradients_of(definition, (query, key, weight), gradient), None
        left, right, wide = exponentials(query, key, size=ctx.size)
        gradients = _backend(query).pair_backward(left, right, weight, gradient)
        if wide:
            own = query[..., wide], key[..., wide], weight[wide]
            some = tanh_tiles.wide_backward(*own, gradient)
            for whole, part in zip(gradients, some, strict=True):
                whole[..., wide] = part
        return *gradients, None


def _backend(query: Tensor) -> Any:
    """The compiled kernels where they can run, torch's operations elsewhere."""
    if _compiled(query):
        from regard.kernels import tanh_numba

        return tanh_numba
    return tanh_tiles


def _compiled(query: Tensor) -> bool:
    """True if numba's kernels can run; ``torch.compile`` sees through torch's operations only."""
    return query.device.type == "cpu" and not torch.compiler.is_compiling() and numba_available()


def pair_cached(query: Tensor, key: Tensor, weight: Tensor, kept: CachedKey) -> Tensor | None:
    """Scores (B, Q, K) from (B, Q, A), (B, K, A) and (A,); None where the definition is needed."""
    limit = LIMIT[query.dtype]
    # Of a NaN no comparison is true, so that the definition shows it.
    if not (SMALL[query.dtype] < 2 * kept.size <= 2 * limit):
        return None
    if not largest(query, weight) <= limit:  # weights meet products of several exponentials
        return None
    return apply(_CachedPairing, query, key, weight, kept)


def _prepared(key: Tensor) -> CachedKey:
    from regard.kernels.tanh_numba import keys_last

    flat = key.detach().flatten(0, -3) if key.dim() > 2 else key.detach().unsqueeze(0)
    return CachedKey(largest(flat), keys_last((2 * flat).exp_()))


class _CachedPairing(torch.autograd.Function):
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
