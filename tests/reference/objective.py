"""What training minimises, and how Adam goes about it, as loops."""

import math
from collections.abc import Sequence

Row = Sequence[float]


def surprise(logits: Row, target: int) -> float:
    """−log softmax(logits) at ``target``."""
    return math.log(sum(math.exp(logit) for logit in logits)) - logits[target]


def smoothed(logits: Row, target: int, smoothing: float) -> float:
    """The cross entropy with a target that shares ``smoothing`` out among all tokens alike."""
    total = 0.0
    for token in range(len(logits)):
        wanted = smoothing / len(logits) + (1 - smoothing if token == target else 0)
        total += wanted * surprise(logits, token)
    return total


def guided(weights: Row, links: Sequence[bool]) -> float:
    """The cross entropy of weights with links that share the row equally; 0 without a link."""
    count = sum(links)
    total = 0.0
    for weight, is_linked in zip(weights, links, strict=True):
        if is_linked:
            total -= math.log(max(weight, 1e-6)) / count
    return total


def reinforce(
    *, reward: float, baseline: float, log_prob: float, entropy: float, weights: tuple[float, float]
) -> float:
    """What one choice adds, with the weights of reward and entropy."""
    return -(weights[0] * (reward - baseline) * log_prob + weights[1] * entropy)


def adam(
    start: float,
    gradients: Sequence[float],
    rates: Sequence[float],
    *,
    betas: tuple[float, float],
    epsilon: float,
    decay: float,
) -> float:
    """One number after as many steps as there are gradients."""
    value, mean, square = start, 0.0, 0.0
    for step, (gradient, rate) in enumerate(zip(gradients, rates, strict=True), start=1):
        value -= rate * decay * value
        mean = betas[0] * mean + (1 - betas[0]) * gradient
        square = betas[1] * square + (1 - betas[1]) * gradient**2
        unbiased = mean / (1 - betas[0] ** step), square / (1 - betas[1] ** step)
        value -= rate * unbiased[0] / (math.sqrt(unbiased[1]) + epsilon)
    return value


def descent(
    start: float,
    gradients: Sequence[float],
    rates: Sequence[float],
    *,
    momentum: float,
    decay: float,
) -> float:
    """One number after steps of Nesterov's descent; its decay is part of the gradient."""
    value, velocity = start, 0.0
    for step, (gradient, rate) in enumerate(zip(gradients, rates, strict=True)):
        whole = gradient + decay * value
        velocity = momentum * velocity + whole if step else whole
        value -= rate * (whole + momentum * velocity if momentum else whole)
    return value


def moving_average(start: float, values: Sequence[float], decay: float) -> float:
    """An average that forgets; it forgets faster in the first steps."""
    average = start
    for step, value in enumerate(values, start=1):
        kept = min(decay, (1 + step) / (10 + step))
        average = kept * average + (1 - kept) * value
    return average
