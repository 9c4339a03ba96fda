r"""Sums of tangents of small numbers, as one matrix product.

The fast form takes tanh as a difference from 1, which costs digits when tanh itself is small. Then
three terms of the series are exact, and a polynomial of a sum is an inner product of powers:

.. math:: \tanh(q + k) \approx \sum_{n = 1, 3, 5} c_n (q + k)^n
          = \sum_{m = 0}^{5} q^m \sum_{n \ge m} c_n \tbinom{n}{m} k^{n - m}
"""

from math import comb

import torch
from torch import Tensor

TERMS = {1: 1.0, 3: -1 / 3, 5: 2 / 15}
"""c_n; the next one is −17 / 315."""

SMALL = {torch.float32: 0.1, torch.float64: 3e-3}
"""Sums below which the next term is lost in rounding: 17/315 s^6 < eps / 2."""


def pair(query: Tensor, key: Tensor, weight: Tensor) -> Tensor:
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
