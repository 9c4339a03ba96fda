r"""Exponentials of queries and keys whose product is right wherever it matters.

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
"""

from typing import NamedTuple

import torch
from torch import Tensor

LIMIT = {torch.float32: 43.0, torch.float64: 350.0}
"""L: e^{±2L} are ordinary numbers."""

SATURATED = {torch.float32: 9.1, torch.float64: 19.1}
"""S: tanh(±S) is ±1 up to rounding."""


class Exponentials(NamedTuple):
    """e^{2 (q − c)} (B, Q, A) and e^{2 (k + c)} (B, K, A), and the features that they leave out."""

    query: Tensor
    key: Tensor
    wide: list[int]


def largest(vectors: Tensor) -> float:
    """The largest absolute value; NaN if there is a NaN, 0 if there is nothing."""
    return float(vectors.detach().abs().amax()) if vectors.numel() else 0.0


def exponentials(query: Tensor, key: Tensor) -> Exponentials:
    """What the fast form is made of.

    Args:
        query: (B, Q, A), float32 or float64; neither Q nor A is 0.
        key: (B, K, A), of the same kind; K is not 0.
    """
    limit = LIMIT[query.dtype]
    if largest(query) <= limit and largest(key) <= limit:  # nearly always, and centre 0 is exact
        return Exponentials(torch.mul(query, 2).exp_(), torch.mul(key, 2).exp_(), [])
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
