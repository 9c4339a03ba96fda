"""Positions as loops over lists: one number at a time."""

import math
from collections.abc import Sequence

Vector = Sequence[float]


def sinusoidal(position: int, dim: int, base: float = 10000.0) -> list[float]:
    """Sine in even columns, cosine in odd ones; both of a pair share the exponent."""
    row = []
    for column in range(dim):
        angle = position / math.pow(base, (column - column % 2) / dim)
        row.append(math.sin(angle) if column % 2 == 0 else math.cos(angle))
    return row


def linear(position: int, slope: Vector, offset: Vector) -> list[float]:
    """Return a p + b in every feature."""
    return [a * position + b for a, b in zip(slope, offset, strict=True)]


def grid(y: int, x: int, dim: int) -> list[float]:
    """The row in the first half of the features, the column in the second."""
    return sinusoidal(y, dim // 2) + sinusoidal(x, dim // 2)


def turned(a: float, b: float, angle: float) -> tuple[float, float]:
    """The point (a, b) turned by an angle around the origin: a complex product."""
    point = complex(a, b) * complex(math.cos(angle), math.sin(angle))
    return point.real, point.imag


def rotary(x: Vector, position: int, layout: str, base: float = 10000.0) -> list[float]:
    """Every pair of features turned; ``layout`` says which features are a pair."""
    half = len(x) // 2
    result = list(x)
    for i in range(half):
        one, other = (2 * i, 2 * i + 1) if layout == "pairs" else (i, i + half)
        angle = position * math.pow(base, -2.0 * i / len(x))
        result[one], result[other] = turned(x[one], x[other], angle)
    return result


def t5_bucket(offset: int, *, num_buckets: int, max_distance: int, bidirectional: bool) -> int:
    """The bucket of key position minus query position, by logarithms."""
    first, count = 0, num_buckets
    if bidirectional:
        count //= 2
        first = count if offset > 0 else 0
        distance = abs(offset)
    else:
        distance = -offset if offset < 0 else 0
    exact = count // 2
    if distance < exact:
        return first + distance
    share = math.log(distance / exact) / math.log(max_distance / exact)
    # An edge between buckets may come out a rounding below the whole number it is.
    return first + min(count - 1, exact + math.floor(share * (count - exact) + 1e-9))


def shaw_score(q: Vector, k: Vector, a: Vector) -> float:
    """Return q . (k + a) / sqrt(D): the relative vector is added to the key."""
    return math.fsum(q_i * (k_i + a_i) for q_i, k_i, a_i in zip(q, k, a, strict=True)) / math.sqrt(
        len(q)
    )
