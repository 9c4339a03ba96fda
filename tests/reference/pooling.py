"""Pooling in plain loops: one vector of the first ``length`` rows."""

import math

Vector = list[float]


def mean(rows: list[Vector], length: int) -> Vector:
    """The mean of each feature; zero of nothing."""
    if not length:
        return [0.0] * len(rows[0])
    return [sum(row[d] for row in rows[:length]) / length for d in range(len(rows[0]))]


def maximum(rows: list[Vector], length: int) -> Vector:
    """The largest value of each feature; zero of nothing."""
    if not length:
        return [0.0] * len(rows[0])
    return [max(row[d] for row in rows[:length]) for d in range(len(rows[0]))]


def last(rows: list[Vector], length: int, *, both: bool) -> Vector:
    """The last row; of two directions the right half of the first row behind the last's left."""
    if not length:
        return [0.0] * len(rows[0])
    half = len(rows[0]) // 2
    return rows[length - 1][:half] + rows[0][half:] if both else rows[length - 1]


def attention_weights(
    rows: list[Vector], length: int, *, v: Vector, weight: list[Vector], bias: Vector
) -> Vector:
    """Softmax of v · tanh(W h + b) over the first rows."""
    scores = []
    for row in rows[:length]:
        hidden = [
            math.tanh(b + sum(w * x for w, x in zip(line, row, strict=True)))
            for line, b in zip(weight, bias, strict=True)
        ]
        scores.append(sum(a * h for a, h in zip(v, hidden, strict=True)))
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    return [power / sum(powers) for power in powers]


def attention(
    rows: list[Vector], length: int, *, v: Vector, weight: list[Vector], bias: Vector
) -> Vector:
    """The rows weighed by additive self-attention; zero of nothing."""
    if not length:
        return [0.0] * len(rows[0])
    weights = attention_weights(rows, length, v=v, weight=weight, bias=bias)
    return [
        sum(alpha * row[d] for alpha, row in zip(weights, rows, strict=False))
        for d in range(len(rows[0]))
    ]
