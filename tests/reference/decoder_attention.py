"""Attention inside decoders as loops: one state, one memory, weights and context.

``keys`` are the rows a state may look at, ``allowed`` says which of them it may.
"""

import math
from collections.abc import Callable, Sequence

from . import normalisers, scores

Vector = Sequence[float]
Matrix = Sequence[Sequence[float]]
Pair = Callable[[Vector, Vector], float]
Row = tuple[list[float], list[float]]
"""Context and weights."""


def pooled(weights: Vector, values: Matrix) -> list[float]:
    """Sum of the rows, each times its weight."""
    return [
        math.fsum(w * row[e] for w, row in zip(weights, values, strict=True))
        for e in range(len(values[0]))
    ]


def soft(row: Vector, allowed: Sequence[bool], values: Matrix) -> Row:
    """Softmax over the allowed scores, then the weighted mean."""
    weights = normalisers.softmax(row, allowed)
    return pooled(weights, values), weights


def bahdanau(
    v: Vector,
    query_weight: Matrix,
    key_weight: Matrix,
    state: Vector,
    keys: Matrix,
    allowed: Sequence[bool],
    values: Matrix,
) -> Row:
    """Weights softmax(v . tanh(W_s s + W_h h_i))."""
    row = [scores.additive(v, query_weight, key_weight, state, k) for k in keys]
    return soft(row, allowed, values)


def attentional_state(weight: Matrix, context: Vector, state: Vector) -> list[float]:
    """Return tanh(W_c [c; h])."""
    return [math.tanh(x) for x in scores.apply(weight, [*context, *state])]


def predicted_position(v: Vector, weight: Matrix, state: Vector, length: int) -> float:
    """Return S sigmoid(v . tanh(W h))."""
    hidden = [math.tanh(x) for x in scores.apply(weight, state)]
    return length / (1.0 + math.exp(-scores.dot(v, hidden)))


def local(
    row: Vector,
    allowed: Sequence[bool],
    values: Matrix,
    half_width: int,
    centre: int,
    predicted: float | None = None,
) -> Row:
    """Softmax over a window of the scores; around a predicted position, times a Gaussian."""
    weights = [0.0 for _ in row]
    window = [
        s
        for s in range(centre - half_width, centre + half_width + 1)
        if 0 <= s < len(row) and allowed[s]
    ]
    total = math.fsum(math.exp(row[s]) for s in window)
    for s in window:
        weights[s] = math.exp(row[s]) / total
        if predicted is not None:
            sigma = half_width / 2
            weights[s] *= math.exp(-((s - predicted) ** 2) / (2 * sigma**2))
    return pooled(weights, values), weights


def expected_reward(row: Vector, allowed: Sequence[bool], rewards: Vector) -> float:
    """What one drawn key earns on average."""
    return scores.dot(normalisers.softmax(row, allowed), rewards)


def expected_reward_gradient(row: Vector, allowed: Sequence[bool], rewards: Vector) -> list[float]:
    """Derivative of the expected reward by each score: p_i (r_i - mean reward)."""
    weights = normalisers.softmax(row, allowed)
    mean = scores.dot(weights, rewards)
    return [p * (r - mean) for p, r in zip(weights, rewards, strict=True)]


def reinforce_loss(
    reward: Vector,
    log_prob: Vector,
    entropy: Vector,
    baseline: float,
    reward_weight: float,
    entropy_weight: float,
) -> float:
    """Minus the mean of lambda_r (r - b) log p + lambda_e H."""
    gains = [
        reward_weight * (r - baseline) * p + entropy_weight * h
        for r, p, h in zip(reward, log_prob, entropy, strict=True)
    ]
    return -math.fsum(gains) / len(gains)
