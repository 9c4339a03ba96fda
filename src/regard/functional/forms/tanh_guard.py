r"""Numerical guards of additive scores: exponentials that do not overflow, a series near 0.

.. math:: \tanh(q + k) = 1 - \frac{2}{1 + e^{2q} e^{2k}}
          = 1 - \frac{2}{1 + e^{2(q - c)} e^{2(k + c)}}

An infinite product is right (the tangent is 1), and so is a zero (it is −1). Only the factors must
not overflow on their own, and that they do beyond e^{±88} in float32. So, for every sentence and
feature, a centre c is chosen, and both sides are clamped to ±L afterwards (:data:`LIMIT`). With S
the sum beyond which the tangent rounds to ±1, this changes nothing if

1. queries and keys all lie within L of the centre: nothing is clamped; or
2. one side lies within L − S: where the other is clamped, the sum is still beyond S.

A feature for which neither holds, or that contains a NaN, is called *wide*: it is left out here
(ones stand in its place) and goes through a real tanh. Both sides must be spread over more than 60
for that; a common offset of any size, or infinities on one side, do not make a feature wide.

A difference from 1 costs digits where the tangent itself is small. There three terms of its series
are exact, and a polynomial of a sum is an inner product of powers, one matrix product for all:

.. math:: \tanh(q + k) \approx \sum_{n = 1, 3, 5} c_n (q + k)^n
          = \sum_{m = 0}^{5} q^m \sum_{n \ge m} c_n \tbinom{n}{m} k^{n - m}
"""

from math import comb
from typing import NamedTuple

import torch
from torch import Tensor

LIMIT = {torch.float32: 43.0, torch.float64: 350.0}
"""L: e^{±2L} are ordinary numbers."""

SATURATED = {torch.float32: 9.1, torch.float64: 19.1}
"""S: tanh(±S) is ±1 up to rounding."""

TERMS = {1: 1.0, 3: -1 / 3, 5: 2 / 15}
"""c_n; the next one is −17 / 315."""

SMALL = {torch.float32: 0.1, torch.float64: 3e-3}
"""Sums below which the next term is lost in rounding: 17/315 s^6 < eps / 2."""


class Exponentials(NamedTuple):
    """e^{2 (q − c)} (B, Q, A) and e^{2 (k + c)} (B, K, A), and the features that they leave out."""

    query: Tensor
    key: Tensor
    wide: list[int]


SERIAL, LONG = 2**15 - 1, 2**18
"""Up to how many numbers torch works in one thread, and from where on several are worth it.

In between, an operation takes microseconds, but on a busy machine waiting for the other thread can
take milliseconds.
"""


def largest(*vectors: Tensor) -> float:
    """The largest absolute value in any; NaN if there is a NaN. None of them may be empty."""
    pieces = [piece for each in vectors for piece in _pieces(each.detach())]
    return float(torch.stack([piece.abs().amax() for piece in pieces]).amax())


def exponentials(query: Tensor, key: Tensor, *, size: float) -> Exponentials:
    """What the fast form is made of.

    Args:
        query: (B, Q, A), float32 or float64; neither Q nor A is 0.
        key: (B, K, A), of the same kind; K is not 0.
        size: the largest absolute value in either, or more; NaN if there is one.
    """
    limit = LIMIT[query.dtype]
    if size <= limit:  # nearly always, and centre 0 is exact
        return Exponentials(*_squared_exponentials(query, key), [])
    centre = _centre(query.double(), key.double(), limit, limit - SATURATED[query.dtype])
    wide = centre.isnan().flatten(0, -2).any(0)  # (A,)
    # In float64, so that moving float32 numbers by the centre does not round them.
    left = (query.double() - centre).clamp_(-limit, limit).mul_(2).exp_()
    right = (key.double() + centre).clamp_(-limit, limit).mul_(2).exp_()
    return Exponentials(
        left.masked_fill_(wide, 1).to(query.dtype),
        right.masked_fill_(wide, 1).to(query.dtype),
        wide.nonzero().flatten().tolist(),
    )


def _squared_exponentials(query: Tensor, key: Tensor) -> tuple[Tensor, Tensor]:
    """e^{2 q} and e^{2 k}, with one call for both, since torch always spreads this one."""
    room = query.new_empty(query.numel() + key.numel())
    left, right = room.split([query.numel(), key.numel()])
    for vectors, part in ((query, left), (key, right)):
        for source, target in zip(_pieces(vectors), _pieces(part), strict=True):
            torch.mul(source, 2, out=target)
    room.exp_()
    return left.view_as(query), right.view_as(key)


def _pieces(vectors: Tensor) -> tuple[Tensor, ...]:
    short = vectors.device.type == "cpu" and vectors.numel() < LONG
    return vectors.reshape(-1).split(SERIAL if short else vectors.numel())


def _centre(query: Tensor, key: Tensor, limit: float, narrow: float) -> Tensor:
    """c for every sentence and feature, (B, 1, A); NaN where there is none."""
    query_low, query_high = query.amin(-2, keepdim=True), query.amax(-2, keepdim=True)
    key_low, key_high = -key.amax(-2, keepdim=True), -key.amin(-2, keepdim=True)  # of −k
    low, high = torch.minimum(query_low, key_low), torch.maximum(query_high, key_high)
    centre = torch.full_like(low, torch.nan)
    for begin, end, half in (  # the last that fits is taken
        (key_low, key_high, narrow),
        (query_low, query_high, narrow),
        (low, high, limit),
    ):
        centre = torch.where(end - begin <= 2 * half, (begin + end) / 2, centre)
    return torch.where(low.isnan() | high.isnan(), torch.nan, centre)


def series_pair(query: Tensor, key: Tensor, weight: Tensor) -> Tensor:
    """Sum over features of weight * tanh(query + key), each sum no larger than :data:`SMALL`.

    Args:
        query: (B, Q, A).
        key: (B, K, A).
        weight: (A,).

    Returns:
        (B, Q, K), differentiable in all three; O((Q + K) A) is kept for the backward pass.
    """
    powers = range(max(TERMS) + 1)
    left = torch.cat([weight * query**m for m in powers], dim=-1)
    right = torch.cat([_coefficient(m, key) for m in powers], dim=-1)
    return left @ right.mT


def _coefficient(m: int, key: Tensor) -> Tensor:
    """What q^m is multiplied with."""
    terms = [c * comb(n, m) * key ** (n - m) for n, c in TERMS.items() if n >= m]
    return torch.stack(terms).sum(0)
