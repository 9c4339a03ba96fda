"""Every score as loops: rows of a query matrix against rows of a key matrix.

A content score is a function of one query vector and one key vector and becomes a table with
:func:`table`; a position score is a function of the two positions and becomes one with
:func:`position_table`.
"""

import math
from collections.abc import Callable, Sequence

Vector = Sequence[float]
Matrix = Sequence[Sequence[float]]


def table(pair: Callable[[Vector, Vector], float], query: Matrix, key: Matrix) -> list[list[float]]:
    """Score of every query row against every key row."""
    return [[pair(q, k) for k in key] for q in query]


def position_table(
    pair: Callable[[int, int], float], num_queries: int, num_keys: int
) -> list[list[float]]:
    """Score of every query position against every key position."""
    return [[pair(i, j) for j in range(num_keys)] for i in range(num_queries)]


def added(*tables: Matrix) -> list[list[float]]:
    """Sum of several tables of scores."""
    return [
        [math.fsum(entries) for entries in zip(*rows, strict=True)]
        for rows in zip(*tables, strict=True)
    ]


def weighted_gaps(weight: Sequence[float], q: Sequence[float], k: Sequence[float]) -> float:
    """Sum of the gaps |q - k| of each feature, each times its weight."""
    return math.fsum(w * abs(a - b) for w, a, b in zip(weight, q, k, strict=True))


def dot(q: Vector, k: Vector) -> float:
    """Return q . k."""
    return math.fsum(a * b for a, b in zip(q, k, strict=True))


def scaled_dot(q: Vector, k: Vector) -> float:
    """Return q . k / sqrt(D)."""
    return dot(q, k) / math.sqrt(len(q))


def apply(weight: Matrix, x: Vector) -> list[float]:
    """Matrix times vector."""
    return [dot(row, x) for row in weight]


def general(weight: Matrix, q: Vector, k: Vector) -> float:
    """Return q W k."""
    total = 0.0
    for a, q_a in enumerate(q):
        for b, k_b in enumerate(k):
            total += q_a * weight[a][b] * k_b
    return total


def additive(
    v: Vector, query_weight: Matrix | None, key_weight: Matrix | None, q: Vector, k: Vector
) -> float:
    """Return v . tanh(W_q q + W_k k); a missing matrix is the identity."""
    left = q if query_weight is None else apply(query_weight, q)
    right = k if key_weight is None else apply(key_weight, k)
    return math.fsum(
        v_a * math.tanh(left_a + right_a)
        for v_a, left_a, right_a in zip(v, left, right, strict=True)
    )


def concat(v: Vector, weight: Matrix, q: Vector, k: Vector) -> float:
    """Return v . tanh(W [q; k])."""
    hidden = apply(weight, [*q, *k])
    return math.fsum(v_a * math.tanh(h_a) for v_a, h_a in zip(v, hidden, strict=True))


def gated_additive(v: Vector, q: Vector, k: Vector) -> float:
    """Return v . (tanh(q1 + k1) * sigmoid(q2 + k2)), the halves of q and k side by side."""
    total = 0.0
    for a, v_a in enumerate(v):
        opening = 1.0 / (1.0 + math.exp(-(q[a + len(v)] + k[a + len(v)])))
        total += v_a * math.tanh(q[a] + k[a]) * opening
    return total


def norm(x: Vector) -> float:
    """Euclidean length."""
    return math.sqrt(math.fsum(a * a for a in x))


def cosine(q: Vector, k: Vector) -> float:
    """Cosine of the angle; 0 if one of the vectors is 0."""
    lengths = norm(q) * norm(k)
    return dot(q, k) / lengths if lengths > 0 else 0.0


def location(weight: Matrix, query: Matrix, num_keys: int) -> list[list[float]]:
    """Table of (W q)_j: row j of the weight is the score of key position j."""
    return [[dot(weight[j], q) for j in range(num_keys)] for q in query]


def distance(q: Vector, k: Vector) -> float:
    """Return the length of q - k."""
    return norm([a - b for a, b in zip(q, k, strict=True)])


def euclidean(q: Vector, k: Vector) -> float:
    """Minus the squared distance."""
    return -(distance(q, k) ** 2)


def gaussian(width: float, q: Vector, k: Vector) -> float:
    """Return exp(-1/2 (distance / width)^2)."""
    return math.exp(-0.5 * (distance(q, k) / width) ** 2)


def boxcar(width: float, q: Vector, k: Vector) -> float:
    """Return 1 up to a distance of ``width``, else 0."""
    return 1.0 if distance(q, k) <= width else 0.0


def epanechnikov(width: float, q: Vector, k: Vector) -> float:
    """Return max(0, 1 - distance / width)."""
    return max(0.0, 1.0 - distance(q, k) / width)


def alibi_slopes(num_heads: int) -> list[float]:
    """Slopes of Press et al. 2022.

    For a power of two n: 2^(-8/n), 2^(-16/n), ... For other counts: those of the next smaller
    power of two, then the 1st, 3rd, 5th ... slope of twice that power.
    """
    power = 1
    while power * 2 <= num_heads:
        power *= 2
    slopes = [2.0 ** (-8.0 * (h + 1) / power) for h in range(power)]
    finer = [2.0 ** (-8.0 * (h + 1) / (2 * power)) for h in range(2 * power)]
    return slopes + finer[0::2][: num_heads - power]


def alibi(slope: float, i: int, j: int) -> float:
    """Return -slope |i - j|."""
    return -slope * abs(i - j)


def relative(entries: Vector, i: int, j: int) -> float:
    """Entry of the clipped offset j - i in a table from -R to R."""
    reach = (len(entries) - 1) // 2
    offset = j - i
    if offset > reach:
        offset = reach
    if offset < -reach:
        offset = -reach
    return entries[offset + reach]


def relative_keys(vectors: Matrix, q: Vector, i: int, j: int) -> float:
    """Return q . a of the clipped offset j - i, in a table of vectors from -R to R."""
    reach = (len(vectors) - 1) // 2
    return dot(q, vectors[min(max(j - i, -reach), reach) + reach])


def gaussian_around(centre: float, sigma: float, j: int) -> float:
    """Return -(j - centre)^2 / (2 sigma^2)."""
    return -((j - centre) ** 2) / (2.0 * sigma**2)
