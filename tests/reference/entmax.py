"""Sparsemax and entmax to many more digits than a float has.

Rows are the allowed scores of one query, at least one of them.
"""

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from math import fsum, sqrt


def sparsemax(row: Sequence[float]) -> list[float]:
    """Sparsemax in exact fractions (Martins and Astudillo 2016, algorithm 1)."""
    scores = [Fraction(x) for x in row]
    total, threshold = Fraction(0), Fraction(0)
    for count, score in enumerate(sorted(scores, reverse=True), start=1):
        total += score
        if 1 + count * score > total:
            threshold = (total - 1) / count
    return [float(max(Fraction(0), x - threshold)) for x in scores]


def entmax(row: Sequence[float], alpha: float) -> list[float]:
    """Alpha-entmax (Peters et al. 2019), its threshold by halving.

    Above 2 a weight is a root of a difference, and needs many more digits of the threshold.
    """
    digits, halvings = (26, 64) if alpha < 2 else (60, 190)
    with localcontext(prec=digits):
        ratio = Decimal(alpha) - 1
        distances = [Fraction(x) - Fraction(max(row)) for x in row]
        scaled = [ratio * d.numerator / d.denominator for d in distances]

        def weights(threshold: Decimal) -> list[Decimal]:
            return [max(Decimal(0), x - threshold) ** (1 / ratio) for x in scaled]

        low, high = Decimal(-1), Decimal(0)
        for _ in range(halvings):
            middle = (low + high) / 2
            if sum(weights(middle)) >= 1:
                low = middle
            else:
                high = middle
        return [float(weight) for weight in weights(low)]


def entmax15(row: Sequence[float]) -> list[float]:
    """1.5-entmax from a sorted row: the quadratic equation on each possible support.

    On a support of n scores x/2 with mean m and squared deviations d, the threshold is
    m - sqrt((1 - d) / n), and it is the right one if it keeps these scores and no others.
    """
    ordered = sorted((x / 2 for x in row), reverse=True)
    shifted = [x - ordered[0] for x in ordered]
    threshold = -1.0
    for count in range(1, len(shifted) + 1):
        kept = shifted[:count]
        mean = fsum(kept) / count
        deviations = fsum((x - mean) ** 2 for x in kept)
        if deviations > 1:
            break
        candidate = mean - sqrt((1 - deviations) / count)
        if candidate <= kept[-1]:
            threshold = candidate
    return [max(0.0, x / 2 - ordered[0] - threshold) ** 2 for x in row]
