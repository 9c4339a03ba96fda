"""Every normaliser as loops over one row of scores.

``row`` holds the scores of one query, ``allowed`` says for each key whether it may be attended.
Disallowed keys get exactly 0; a row with no allowed key gets zeros only.
"""

import math
from collections.abc import Callable, Sequence

from . import entmax as _entmax

Row = Sequence[float]
Allowed = Sequence[bool]
RowNormaliser = Callable[[Row, Allowed], list[float]]


def spread(weights: Sequence[float], allowed: Allowed) -> list[float]:
    """Put the weights of the allowed keys, in order, back between zeros."""
    following = iter(weights)
    return [next(following) if may else 0.0 for may in allowed]


def over_allowed(normalise: Callable[[list[float]], list[float]]) -> RowNormaliser:
    """Normaliser which only ever sees the allowed scores, at least one of them."""

    def normaliser(row: Row, allowed: Allowed) -> list[float]:
        kept = [x for x, may in zip(row, allowed, strict=True) if may]
        return spread(normalise(kept) if kept else [], allowed)

    return normaliser


@over_allowed
def softmax(kept: list[float]) -> list[float]:
    """Return e^x / sum e^x."""
    largest = max(kept)
    exponentials = [math.exp(x - largest) for x in kept]
    total = math.fsum(exponentials)
    return [e / total for e in exponentials]


@over_allowed
def relu(kept: list[float]) -> list[float]:
    """Return max(0, x)."""
    return [x if x > 0 else 0.0 for x in kept]


@over_allowed
def sigmoid(kept: list[float]) -> list[float]:
    """Return 1 / (1 + e^-x)."""
    return [1.0 / (1.0 + math.exp(-x)) if x >= 0 else 1.0 - 1.0 / (1.0 + math.exp(x)) for x in kept]


@over_allowed
def proportional(kept: list[float]) -> list[float]:
    """Return x / sum x; zeros if the sum is 0."""
    total = math.fsum(kept)
    return [x / total for x in kept] if total != 0 else [0.0 for _ in kept]


@over_allowed
def mean(kept: list[float]) -> list[float]:
    """Return x / n."""
    return [x / len(kept) for x in kept]


@over_allowed
def mean_relu(kept: list[float]) -> list[float]:
    """Return max(0, x) / n."""
    return [x / len(kept) if x > 0 else 0.0 for x in kept]


@over_allowed
def hard(kept: list[float]) -> list[float]:
    """1 at the first maximum, else 0."""
    best = 0
    for j, x in enumerate(kept):
        if x > kept[best]:
            best = j
    return [1.0 if j == best else 0.0 for j in range(len(kept))]


def top_k(k: int) -> RowNormaliser:
    """Softmax over the scores not below the k-th largest one."""

    @over_allowed
    def normaliser(kept: list[float]) -> list[float]:
        threshold = sorted(kept, reverse=True)[min(k, len(kept)) - 1]
        return softmax(kept, [x >= threshold for x in kept])

    return normaliser


sparsemax = over_allowed(_entmax.sparsemax)
entmax15 = over_allowed(_entmax.entmax15)


def entmax(alpha: float) -> RowNormaliser:
    """Alpha-entmax (Peters et al. 2019): ((alpha - 1) x - tau)_+^(1 / (alpha - 1)), tau by halving.

    The threshold lies between the largest (alpha - 1) x minus 1, where the sum is at least 1, and
    that largest value, where the sum is 0. In floats, because thousands of rows need it; the module
    ``entmax`` has the same in fifty digits.
    """

    @over_allowed
    def normaliser(kept: list[float]) -> list[float]:
        scaled = [(alpha - 1) * x for x in kept]

        def weights(tau: float) -> list[float]:
            return [max(0.0, x - tau) ** (1 / (alpha - 1)) for x in scaled]

        low, high = max(scaled) - 1, max(scaled)
        for _ in range(60):
            middle = (low + high) / 2
            if math.fsum(weights(middle)) >= 1:
                low = middle
            else:
                high = middle
        found = weights(low)
        total = math.fsum(found)
        return [w / total for w in found]

    return normaliser
