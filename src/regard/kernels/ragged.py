"""Attention over packed sequences of different lengths, without padding."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch

from regard.kernels.derivatives import apply, differentiated_again, gradients_of
from regard.types import Float, Int, Tensor

from .threads import over_rows


class Spans(NamedTuple):
    """Where sequences lie among the rows of a matrix."""

    starts: Int[Tensor, " B"]
    """The first row of each."""
    counts: Int[Tensor, " B"]
    """How many rows each has."""


class Heads(NamedTuple):
    """How features are shared out among heads."""

    query: int
    """Heads of queries."""
    key: int
    """Heads of keys and values, each shared by as many query heads."""
    width: int
    """Features of one."""

    @property
    def plain(self) -> tuple[int, int, int]:
        """The numbers without their names, as the kernels want them."""
        return self.query, self.key, self.width


class Ragged(NamedTuple):
    """One attention over ragged sequences: all but the numbers."""

    queries: Spans
    keys: Spans
    """Of the same sequences."""
    heads: Heads
    scale: float
    """Of the inner product, above 0."""
    causal: bool
    """Whether the query at position i sees only the keys up to i."""

    def places(self) -> tuple[Any, ...]:
        """Starts and counts as the kernels want them, and where each sequence's weights begin."""
        pairs = self.queries.counts * self.keys.counts * self.heads.query
        starts = pairs.cumsum(0) - pairs
        wanted = (*self.queries, *self.keys, starts)
        return tuple(np.ascontiguousarray(each.numpy(), np.int64) for each in wanted)

    @property
    def num_weights(self) -> int:
        """Weights of all sequences and heads."""
        return int((self.queries.counts * self.keys.counts).sum()) * self.heads.query


def attend_ragged(
    query: Float[Tensor, "R _"], memory: Float[Tensor, "S _"] | None, ragged: Ragged
) -> Float[Tensor, "R HD"]:
    """Scaled-dot softmax attention of every sequence's queries over its own keys.

    Needs numba, and a CPU. A query without keys gets zeros, and so does a row that belongs to no
    sequence.

    Args:
        query: queries, heads side by side; queries, keys and values side by side if there is no
            memory.
        memory: keys and values side by side.
        ragged: where the sequences lie, and how they are looked at.
    """
    return apply(_Attended, query, memory, ragged)


def _columns(ragged: Ragged, *, joint: bool) -> tuple[int, int, int]:
    """Where queries, keys and values begin, those of one matrix or of two."""
    of_key = ragged.heads.query * ragged.heads.width if joint else 0
    return 0, of_key, of_key + ragged.heads.key * ragged.heads.width


def definition(query: Tensor, memory: Tensor | None, ragged: Ragged) -> Tensor:
    """The same by torch's operations, sequence by sequence: differentiable as often as you like."""
    heads, joint = ragged.heads, memory is None
    starts, width = _columns(ragged, joint=joint), heads.width
    keys = query if memory is None else memory
    rows, contexts = list[Tensor](), list[Tensor]()
    for (q, n), (k, m) in zip(
        *(zip(*map(Tensor.tolist, each), strict=True) for each in ragged[:2]), strict=True
    ):
        asking = query[q : q + n, : heads.query * width]
        asking = asking.unflatten(-1, (heads.key, -1, width))  # (n, G, H / G, D)
        key, value = (
            keys[k : k + m, at : at + heads.key * width].unflatten(-1, (heads.key, width))
            for at in starts[1:]
        )
        scores = torch.einsum("nhgd,mhd->hgnm", asking, key) * ragged.scale  # (G, H / G, n, m)
        if ragged.causal:
            ahead = torch.ones(n, m, dtype=torch.bool).triu(1)
            scores = scores.masked_fill(ahead, -torch.inf)
        rows.append(torch.arange(q, q + n))
        contexts.append(torch.einsum("hgnm,mhd->nhgd", scores.softmax(-1), value).flatten(1))
    context = query.new_zeros(len(query), heads.query * width)
    return context.index_copy(0, torch.cat(rows), torch.cat(contexts)) if rows else context


class _Attended(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, query: Tensor, memory: Tensor | None, ragged: Ragged) -> Tensor:
        from .ragged_numba import FORWARD, attend_sequences

        given, query = query, query.contiguous()
        keys = query if memory is None else memory.contiguous()
        ctx.ragged, ctx.joint, ctx.places = ragged, memory is None, ragged.places()
        ctx.columns = _columns(ragged, joint=memory is None)
        weights = query.new_empty(ragged.num_weights)
        context = query.new_zeros(len(query), ragged.heads.query * ragged.heads.width)
        q, k, w, c = (each.detach().numpy() for each in (query, keys, weights, context))
        how = ctx.columns, ctx.places, ragged.heads.plain, ragged.scale, ragged.causal
        sequences, seconds = len(ragged.queries.starts), weights.numel() * FORWARD
        over_rows(attend_sequences, sequences, seconds, q, k, *how, w, c)
        ctx.save_for_backward(given, memory, weights)
        return context

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        from .ragged_numba import BACKWARD, attend_sequences_backward

        query, memory, weights = ctx.saved_tensors
        if differentiated_again(gradient):
            define = partial(definition, ragged=ctx.ragged)
            return *gradients_of(define, (query, memory), gradient), None
        query = query.contiguous()
        keys, ragged = query if ctx.joint else memory.contiguous(), ctx.ragged
        by_query = torch.zeros_like(query)
        by_keys = by_query if ctx.joint else torch.zeros_like(keys)
        read = query, keys, weights, gradient.contiguous()
        q, k, w, g = (each.detach().numpy() for each in read)
        found = by_query.numpy(), by_keys.numpy()
        how = ctx.columns, ctx.places, ragged.heads.plain, ragged.scale, ragged.causal
        sequences, seconds = len(ragged.queries.starts), weights.numel() * BACKWARD
        over_rows(attend_sequences_backward, sequences, seconds, q, k, *how, w, g, *found)
        return by_query, None if ctx.joint else by_keys, None
