"""Multi-head attention for one sequence: every head cut out of the projected rows by hand."""

import math
from collections.abc import Callable, Sequence

from . import attention

Vector = Sequence[float]
Matrix = Sequence[Vector]
PairScore = Callable[[int, int, int, Vector, Vector], float]
"""(head, query position, key position, query, key) -> score."""


def linear(weight: Matrix, bias: Vector | None, rows: Matrix) -> list[list[float]]:
    """Return W x + b for every row x."""
    return [
        [
            math.fsum(w * v for w, v in zip(line, x, strict=True)) + (bias[o] if bias else 0.0)
            for o, line in enumerate(weight)
        ]
        for x in rows
    ]


def head(rows: Matrix, h: int, width: int) -> list[list[float]]:
    """Columns h * width ... (h + 1) * width - 1."""
    return [list(row[h * width : (h + 1) * width]) for row in rows]


def scaled_dot(h: int, i: int, j: int, q: Vector, k: Vector) -> float:
    """q k / sqrt(D), whatever head and positions."""
    return math.fsum(a * b for a, b in zip(q, k, strict=True)) / math.sqrt(len(q))


def multi_head(
    query: Matrix,
    key: Matrix,
    value: Matrix,
    *,
    num_heads: int,
    num_key_heads: int,
    allowed: Callable[[int, int, int], bool],
    score: PairScore,
    normalise: Callable[[Sequence[float], Sequence[bool]], list[float]],
) -> list[list[float]]:
    """All heads of the projected rows, side by side; head h looks at keys h // (H / G).

    ``allowed`` takes head, query position, key position.
    """
    width, groups = len(query[0]) // num_heads, num_heads // num_key_heads
    outputs: list[list[float]] = [[] for _ in query]
    for h in range(num_heads):
        q, k, v = (
            head(query, h, width),
            head(key, h // groups, width),
            head(value, h // groups, width),
        )
        table = [[score(h, i, j, a, b) for j, b in enumerate(k)] for i, a in enumerate(q)]
        may = [[allowed(h, i, j) for j in range(len(k))] for i in range(len(q))]
        weights = attention.weights(table, may, normalise)
        for row, context in zip(outputs, attention.pool(weights, v, width), strict=True):
            row.extend(context)
    return outputs


def chunked(chunk: int, memory: int) -> Callable[[int, int], bool]:
    """Keys up to the query, from ``memory`` positions before its chunk on."""
    return lambda i, j: i // chunk * chunk - memory <= j <= i


def turned(row: Vector, position: int, base: float) -> list[float]:
    """Rotary position with halves: features n and n + D/2 turn together."""
    half = len(row) // 2
    angles = [position * base ** (-n / half) for n in range(half)]
    first = [row[n] * math.cos(a) - row[n + half] * math.sin(a) for n, a in enumerate(angles)]
    second = [row[n + half] * math.cos(a) + row[n] * math.sin(a) for n, a in enumerate(angles)]
    return first + second
