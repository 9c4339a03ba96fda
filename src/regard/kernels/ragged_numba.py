r"""Scaled-dot softmax attention over many short sequences without padding, compiled.

The sequences of a batch stand one below the other, heads side by side, so that what the matrix of
a projection gave is read where it lies and gradients are written where its backward pass wants
them: nothing is split, padded, masked or put together again. Threads share out the sequences.

``starts`` and ``counts`` say where the queries of each sequence begin and how many they are, and
the same of its keys. A pair's weight is kept for the backward pass, sequence by sequence, head by
head, row by row.
"""

from math import exp, inf
from typing import Any

import numpy as np

from .jit import jit

Array = np.ndarray[Any, Any]

FORWARD, BACKWARD = 2.5e-8, 3.5e-8
"""Seconds per pair and head on one thread, roughly."""


@jit()
def attend_sequences(
    begin: int,
    end: int,
    query: Array,
    key: Array,
    columns: tuple[int, int, int],
    places: tuple[Array, Array, Array, Array, Array],
    heads: tuple[int, int, int],
    scale: float,
    causal: bool,
    weights: Array,
    context: Array,
) -> None:
    """Weights and contexts of the sequences ``begin:end``.

    Args:
        begin: first sequence.
        end: one past the last.
        query: (R, ·), with the queries somewhere in its columns.
        key: (S, ·), with the keys and the values.
        columns: where queries, keys and values begin.
        places: starts and counts of queries, of keys, and starts of weights.
        heads: of queries, of keys, and the width of one.
        scale: of the inner product.
        causal: whether a query sees only as many keys as it has come to.
        weights: all of them, flat.
        context: (R, H D).
    """
    of_query, of_key, of_value = columns
    starts, counts, key_starts, key_counts, weight_starts = places
    num_heads, num_key_heads, width = heads
    group = num_heads // num_key_heads
    for b in range(begin, end):
        first, first_key, num_keys = starts[b], key_starts[b], key_counts[b]
        place = weight_starts[b]
        for h in range(num_heads):
            q0, k0 = of_query + h * width, of_key + h // group * width
            v0 = of_value + h // group * width
            for i in range(counts[b]):
                seen = min(i + 1, num_keys) if causal else num_keys
                row = query[first + i, q0 : q0 + width]
                out = context[first + i, h * width : (h + 1) * width]
                share = weights[place : place + num_keys]
                place += num_keys
                top = -inf
                for j in range(seen):
                    one = key[first_key + j, k0 : k0 + width]
                    score = query.dtype.type(0)
                    for d in range(width):
                        score += row[d] * one[d]
                    share[j] = score
                    top = max(top, score)
                total = 0.0
                for j in range(seen):
                    share[j] = exp(scale * (share[j] - top))
                    total += share[j]
                for d in range(width):
                    out[d] = 0
                for j in range(seen):
                    share[j] /= total
                    weight = share[j]
                    value = key[first_key + j, v0 : v0 + width]
                    for d in range(width):
                        out[d] += weight * value[d]


@jit()
def attend_sequences_backward(
    begin: int,
    end: int,
    query: Array,
    key: Array,
    columns: tuple[int, int, int],
    places: tuple[Array, Array, Array, Array, Array],
    heads: tuple[int, int, int],
    scale: float,
    causal: bool,
    weights: Array,
    gradient: Array,
    by_query: Array,
    by_key: Array,
) -> None:
    """Add the gradients of the sequences ``begin:end`` to ``by_query`` and ``by_key``."""
    of_query, of_key, of_value = columns
    starts, counts, key_starts, key_counts, weight_starts = places
    num_heads, num_key_heads, width = heads
    group = num_heads // num_key_heads
    longest = 1
    for b in range(begin, end):
        longest = max(longest, key_counts[b])
    through = np.empty(longest, query.dtype)
    for b in range(begin, end):
        first, first_key, num_keys = starts[b], key_starts[b], key_counts[b]
        place = weight_starts[b]
        for h in range(num_heads):
            q0, k0 = of_query + h * width, of_key + h // group * width
            v0 = of_value + h // group * width
            for i in range(counts[b]):
                seen = min(i + 1, num_keys) if causal else num_keys
                row = query[first + i, q0 : q0 + width]
                by_row = by_query[first + i, q0 : q0 + width]
                came = gradient[first + i, h * width : (h + 1) * width]
                share = weights[place : place + num_keys]
                place += num_keys
                mean = 0.0
                for j in range(seen):
                    value = key[first_key + j, v0 : v0 + width]
                    passed = query.dtype.type(0)
                    for d in range(width):
                        passed += came[d] * value[d]
                    through[j] = passed
                    mean += share[j] * passed
                for j in range(seen):
                    weight = share[j]
                    slope = query.dtype.type(scale * weight * (through[j] - mean))
                    one = key[first_key + j, k0 : k0 + width]
                    by_one = by_key[first_key + j, k0 : k0 + width]
                    by_value = by_key[first_key + j, v0 : v0 + width]
                    for d in range(width):
                        by_row[d] += slope * one[d]
                    for d in range(width):
                        by_one[d] += slope * row[d]
                    for d in range(width):
                        by_value[d] += weight * came[d]
