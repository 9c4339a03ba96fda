"""Paged scaled-dot softmax attention, compiled."""

from math import exp, inf
from typing import Any

import numpy as np

from .jit import jit

Array = np.ndarray[Any, Any]

SECONDS = 1.5e-8
"""Per pair and head on one thread, roughly."""


@jit()
def attend_rows(
    begin: int,
    end: int,
    query: Array,
    pairs: Array,
    first: int,
    pages: tuple[Array, Array, Array],
    heads: tuple[int, int, int],
    scale: float,
    context: Array,
) -> None:
    """The contexts of the rows ``begin:end``.

    Args:
        begin: first row.
        end: one past the last.
        query: (R, ·), with the queries in its first columns.
        pairs: (N, ·), with the keys and then the values somewhere in its columns.
        first: where the keys begin.
        pages: lists of rows of ``pairs`` (L, n), how many of each count (L,), and which of them
            each query looks at (R,).
        heads: of queries, of keys, and the width of one.
        scale: of the inner product, above 0.
        context: (R, H D).
    """
    slots, counts, lists = pages
    num_heads, num_key_heads, width = heads
    group, values = num_heads // num_key_heads, num_key_heads * width
    shares = np.empty(slots.shape[1], query.dtype)
    for r in range(begin, end):
        seen, places = counts[lists[r]], slots[lists[r]]
        for h in range(num_heads):
            k0 = first + h // group * width
            v0 = k0 + values
            row = query[r, h * width : (h + 1) * width]  # (D,), as are key, value and out
            out = context[r, h * width : (h + 1) * width]
            top = -inf
            for j in range(seen):
                key = pairs[places[j], k0 : k0 + width]
                score = query.dtype.type(0)
                for d in range(width):
                    score += row[d] * key[d]
                shares[j] = score
                top = max(top, score)
            total = 0.0
            for j in range(seen):
                shares[j] = exp(scale * (shares[j] - top))
                total += shares[j]
            for d in range(width):
                out[d] = 0
            for j in range(seen):
                weight = query.dtype.type(shares[j] / total)
                value = pairs[places[j], v0 : v0 + width]
                for d in range(width):
                    out[d] += weight * value[d]
