"""Score, mask, normalise, pool: for one head, and what is read off the map of weights."""

import math
from collections.abc import Callable, Sequence

Matrix = Sequence[Sequence[float]]
Table = Sequence[Sequence[bool]]


def weights(
    scores: Matrix,
    allowed: Table,
    normalise: Callable[[Sequence[float], Sequence[bool]], list[float]],
) -> list[list[float]]:
    """Each row of the scores, normalised over its allowed keys."""
    return [normalise(row, may) for row, may in zip(scores, allowed, strict=True)]


def pool(weights: Matrix, value: Matrix, width: int) -> list[list[float]]:
    """Sum of the value rows, each times its weight; ``width`` matters if there is no key."""
    return [
        [math.fsum(w * v[e] for w, v in zip(row, value, strict=True)) for e in range(width)]
        for row in weights
    ]


def shares(row: Sequence[float]) -> list[float]:
    """The sizes of the row, scaled to sum to one; zeros stay zeros."""
    total = math.fsum(abs(w) for w in row)
    return [abs(w) / total for w in row] if total != 0 else [0.0 for _ in row]


def entropy(row: Sequence[float]) -> float:
    """Return - sum w ln w of the row's shares, where 0 ln 0 = 0."""
    return -math.fsum(w * math.log(w) for w in shares(row) if w > 0)


def effective_keys(row: Sequence[float]) -> float:
    """Size of a uniform row of the same entropy; 0 for a row of zeros."""
    return math.exp(entropy(row)) if any(w != 0 for w in row) else 0.0


def distance(i: int, row: Sequence[float]) -> float:
    """Mean of |i - j| under the row's shares."""
    return math.fsum(w * abs(i - j) for j, w in enumerate(shares(row)))


def column_mass(weights: Matrix, num_keys: int) -> list[float]:
    """How much all queries together give to each key."""
    return [math.fsum(row[j] for row in weights) for j in range(num_keys)]


def top(row: Sequence[float], n: int) -> list[tuple[float, int]]:
    """The n largest weights with their keys, largest first, the earlier key first among equals."""
    return sorted(((w, j) for j, w in enumerate(row)), key=lambda pair: (-pair[0], pair[1]))[:n]


def pearson(x: Sequence[float], y: Sequence[float]) -> float:
    """Correlation of two vectors."""
    x_mean, y_mean = math.fsum(x) / len(x), math.fsum(y) / len(y)
    x_off, y_off = [a - x_mean for a in x], [b - y_mean for b in y]
    product = math.fsum(a * b for a, b in zip(x_off, y_off, strict=True))
    return product / math.sqrt(math.fsum(a * a for a in x_off) * math.fsum(b * b for b in y_off))
