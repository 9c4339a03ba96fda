r"""Sums of tanh for additive scores, compiled.

With y = 1 + e^{2q} e^{2k}, tanh(q + k) = 1 - 2 / y. Divisions are what costs, so four features
share one:

.. math:: w_0/y_0 + w_1/y_1 = (w_0 y_1 + w_1 y_0) / (y_0 y_1)

and the same once more on two such pairs. Every y is at least 1 and capped (:data:`CAPS`), so that
four of them multiply without overflow; all are positive, so nothing cancels.

Inside, ``query`` is (T, A), ``key`` is (B, A, K) and holds the exponentials, rows of one sentence
follow each other, and A is a multiple of four. The innermost loops run over keys.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from .jit import jit
from .threads import over_rows

Array = np.ndarray[Any, Any]

CAPS: dict[torch.dtype, Any] = {
    torch.float32: np.float32(2.0**30),
    torch.float64: np.float64(2.0**250),
}
"""Where y stops: 2 / y is far below the rounding of 1, and the fourth power is finite."""

ROWS, KEYS = 8, 512
"""Rows and keys that are worked on together, to stay in the first cache."""

FEWEST_KEYS = 64
"""Keys that one thread works on at least, where threads share the keys out."""

FORWARD, BACKWARD = 1.2e-10, 2.5e-10
"""Seconds per row, key and feature on one thread, roughly; float64 takes twice that."""


def pair(query: Tensor, key: Tensor, weight: Tensor) -> Tensor:
    """Scores (B, Q, K) from e^{2 q} (B, Q, A), e^{2 k} (B, K, A) and weights (A,)."""
    return pair_turned(query, keys_last(key), weight)


def pair_turned(query: Tensor, k: Array, weight: Tensor) -> Tensor:
    """:func:`pair` on keys that :func:`keys_last` has turned, (B, A, K)."""
    batch, rows, _ = query.shape
    scores = torch.empty(batch, rows, k.shape[-1], dtype=query.dtype)
    x, w = in_fours(query).flatten(0, 1).numpy(), in_fours(2 * weight).numpy()  # (T, A), (A,)
    out, cap = scores.flatten(0, 1).numpy(), CAPS[query.dtype]  # (T, K)
    total = w.dtype.type(float(weight.sum()))
    over_rows(pair_rows, batch * rows, _seconds(FORWARD, x, k), x, k, w, total, cap, rows, out)
    return scores


def pair_backward(
    query: Tensor, key: Tensor, weight: Tensor, gradient: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients (B, Q, A), (B, K, A), (A,) of q, k and weight, from that of the scores (B, Q, K).

    With s = 1 / y, tanh is 1 - 2 s, its slope 4 s (1 - s).
    """
    return pair_turned_backward(query, keys_last(key), weight, gradient)


def pair_turned_backward(
    query: Tensor, k: Array, weight: Tensor, gradient: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """:func:`pair_backward` on keys that :func:`keys_last` has turned, (B, A, K)."""
    batch, rows, width = query.shape
    x, w = in_fours(query).flatten(0, 1).numpy(), in_fours(4 * weight).numpy()
    g, cap = gradient.contiguous().flatten(0, 1).numpy(), CAPS[query.dtype]  # (T, K)
    cut = rows > 1 and batch * rows <= k.shape[-1]  # the smaller side is summed over the parts
    along = _along_keys if cut else _along_rows
    by_query, by_key, by_weight = along(x, k, g, w, cap, rows)
    with np.errstate(all="ignore"):
        by_query *= w
    return (
        torch.from_numpy(by_query).unflatten(0, (batch, rows))[..., :width],  # (B, Q, A)
        torch.from_numpy(by_key).mT[..., :width],  # (B, K, A)
        torch.from_numpy(by_weight)[:width].to(weight.dtype),
    )


def _along_keys(x: Array, k: Array, g: Array, w: Array, cap: Any, rows: int) -> tuple[Array, ...]:
    """Each part has some keys of its own, and adds to the gradients of the few queries."""
    num_keys = k.shape[-1]
    by_key = np.empty_like(k)

    def work(begin: int, end: int) -> tuple[Array, Array]:
        left, right = begin * FEWEST_KEYS, min(end * FEWEST_KEYS, num_keys)
        own, own_weight = np.zeros_like(x), np.zeros(k.shape[1])
        every = (0, len(x), left, right)
        pair_rows_backward(x, k, g, w, cap, rows, *every, own, by_key, own_weight)
        with np.errstate(all="ignore"):
            return own, g[:, left:right].sum() - 2 * own_weight

    parts = over_rows(work, -(-num_keys // FEWEST_KEYS), _seconds(BACKWARD, x, k))
    by_query, by_weight = parts[0]
    with np.errstate(all="ignore"):
        for own, own_weight in parts[1:]:
            by_query += own
            by_weight += own_weight
    return by_query, by_key, by_weight


def _along_rows(x: Array, k: Array, g: Array, w: Array, cap: Any, rows: int) -> tuple[Array, ...]:
    """Each part has some queries of its own, and adds to the gradients of keys it shares."""
    num_keys = k.shape[-1]
    by_query, by_weight = np.zeros_like(x), np.zeros(x.shape[1])
    by_key = np.empty_like(k) if rows == 1 else np.zeros_like(k)  # one row each is no sum

    def work(begin: int, end: int) -> tuple[int, Array, Array]:
        first, last = begin // rows, (end - 1) // rows
        shared = begin % rows or end % rows  # another part works on the same sentence
        own = by_key[first : last + 1]
        if shared:
            own = np.empty_like(own)
        own_weight = np.zeros(k.shape[1])
        some = (begin, end, 0, num_keys)
        pair_rows_backward(x, k, g, w, cap, rows, *some, by_query, own, own_weight)
        with np.errstate(all="ignore"):
            return first, own if shared else own[:0], g[begin:end].sum() - 2 * own_weight

    parts = over_rows(work, len(x), _seconds(BACKWARD, x, k))
    with np.errstate(all="ignore"):
        for first, own, own_weight in parts:
            by_key[first : first + len(own)] += own
            by_weight += own_weight
    return by_query, by_key, by_weight


def _seconds(each: float, query: Array, key: Array) -> float:
    return each * query.size * key.shape[-1] * query.itemsize / 4


def in_fours(vectors: Tensor) -> Tensor:
    """Zeros appended to the last axis: with e^{2 q} = 0 and weight 0 a feature adds nothing."""
    missing = -vectors.shape[-1] % 4
    return torch.nn.functional.pad(vectors, (0, missing)) if missing else vectors.contiguous()


def keys_last(key: Tensor) -> Array:
    """(B, A, K) from (B, K, A), contiguous, A filled up with zeros."""
    batch, num_keys, width = key.shape
    lying = key.contiguous().numpy()
    turned = np.zeros((batch, width + -width % 4, num_keys), lying.dtype)
    turn(lying, turned)
    return turned


@jit()
def turn(matrices: Array, out: Array) -> None:
    """Swap the last two axes, a few columns at a time so that both sides stay in the cache."""
    batch, rows, width = matrices.shape
    for b in range(batch):
        for left in range(0, rows, 64):
            for d in range(width):
                for j in range(left, min(left + 64, rows)):
                    out[b, d, j] = matrices[b, j, d]


@jit()
def pair_rows(
    begin: int,
    end: int,
    query: Array,
    key: Array,
    weight: Array,
    total: float,
    cap: float,
    rows: int,
    scores: Array,
) -> None:
    """Fill ``scores[begin:end]``; ``rows`` of them share the keys of one sentence."""
    width, num_keys = key.shape[1], key.shape[2]
    row = begin
    while row < end:
        sentence = row // rows
        stop = min(row + ROWS, end, (sentence + 1) * rows)
        for left in range(0, num_keys, KEYS):
            right = min(left + KEYS, num_keys)
            scores[row:stop, left:right] = total
            for d in range(0, width, 4):
                k0, k1 = key[sentence, d, left:right], key[sentence, d + 1, left:right]
                k2, k3 = key[sentence, d + 2, left:right], key[sentence, d + 3, left:right]
                for i in range(row, stop):
                    subtract_four(
                        query[i, d:], k0, k1, k2, k3, weight[d:], cap, scores[i, left:right]
                    )
        row = stop


@jit(inline=True)
def subtract_four(
    query: Array,
    k0: Array,
    k1: Array,
    k2: Array,
    k3: Array,
    weight: Array,
    cap: float,
    scores: Array,
) -> None:
    """``scores -= sum(weight / y)`` over four features, with one division."""
    one = scores.dtype.type(1)
    x0, x1, x2, x3 = query[0], query[1], query[2], query[3]
    w0, w1, w2, w3 = weight[0], weight[1], weight[2], weight[3]
    for j in range(scores.shape[0]):
        y0, y1, y2, y3 = one + x0 * k0[j], one + x1 * k1[j], one + x2 * k2[j], one + x3 * k3[j]
        y0, y1 = y0 if y0 < cap else cap, y1 if y1 < cap else cap
        y2, y3 = y2 if y2 < cap else cap, y3 if y3 < cap else cap
        y01, y23 = y0 * y1, y2 * y3
        scores[j] -= ((w0 * y1 + w1 * y0) * y23 + (w2 * y3 + w3 * y2) * y01) / (y01 * y23)


@jit()
def pair_rows_backward(
    query: Array,
    key: Array,
    gradient: Array,
    weight: Array,
    cap: float,
    rows: int,
    begin: int,
    end: int,
    first_key: int,
    last_key: int,
    by_query: Array,
    by_key: Array,
    by_weight: Array,
) -> None:
    """Add, over rows ``begin:end`` and some keys, g s to ``by_weight``, g s (1 - s) to
    ``by_query``, and that times the weight to ``by_key``, which need not be zero before.

    ``by_key`` starts at the sentence of row ``begin``.
    """
    width = key.shape[1]
    shares = np.empty((4, KEYS), query.dtype)
    first, row = begin // rows, begin
    while row < end:
        sentence = row // rows
        stop = min(row + ROWS, end, (sentence + 1) * rows)
        for left in range(first_key, last_key, KEYS):
            right = min(left + KEYS, last_key)
            for d in range(0, width, 4):
                k0, k1 = key[sentence, d, left:right], key[sentence, d + 1, left:right]
                k2, k3 = key[sentence, d + 2, left:right], key[sentence, d + 3, left:right]
                for i in range(row, stop):
                    fresh = i == begin or i % rows == 0
                    reciprocals_of_four(query[i, d:], k0, k1, k2, k3, cap, shares)
                    for m in range(4):
                        plain, curved = add_products(
                            gradient[i, left:right],
                            shares[m, : right - left],
                            weight[d + m],
                            by_key[sentence - first, d + m, left:right],
                            fresh,
                        )
                        by_weight[d + m] += plain
                        by_query[i, d + m] += curved
        row = stop


@jit(inline=True)
def reciprocals_of_four(
    query: Array, k0: Array, k1: Array, k2: Array, k3: Array, cap: float, out: Array
) -> None:
    """``out[m] = 1 / y_m`` for four features, with one division (Montgomery's trick)."""
    one = out.dtype.type(1)
    x0, x1, x2, x3 = query[0], query[1], query[2], query[3]
    s0, s1, s2, s3 = out[0], out[1], out[2], out[3]
    for j in range(k0.shape[0]):
        y0, y1, y2, y3 = one + x0 * k0[j], one + x1 * k1[j], one + x2 * k2[j], one + x3 * k3[j]
        y0, y1 = y0 if y0 < cap else cap, y1 if y1 < cap else cap
        y2, y3 = y2 if y2 < cap else cap, y3 if y3 < cap else cap
        y01, y23 = y0 * y1, y2 * y3
        whole = one / (y01 * y23)
        s01, s23 = whole * y23, whole * y01
        s0[j], s1[j], s2[j], s3[j] = s01 * y1, s01 * y0, s23 * y3, s23 * y2


@jit(inline=True)
def add_products(
    gradient: Array, share: Array, weight: float, by_key: Array, fresh: bool
) -> tuple[float, float]:
    """``by_key += w g s (1 - s)``, from zero if ``fresh``; returns the sums of g s, g s (1 - s)."""
    plain = curved = gradient.dtype.type(0)
    if fresh:
        by_key[:] = 0
    for j in range(gradient.shape[0]):
        product = gradient[j] * share[j]
        plain += product
        product -= product * share[j]
        curved += product
        by_key[j] += weight * product
    return plain, curved
