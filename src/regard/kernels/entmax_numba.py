r"""Rows of alpha-entmax for any alpha above 1, compiled.

The rows are folded and gathered as in :mod:`.threshold_numba`; what differs is the search, because
the power :math:`q = 1 / (\alpha - 1)` is no small integer.

Below 2, Newton on the convex q-norm. The excess is written :math:`1 + w` with
:math:`w = z - (\tau + 1) \in (-1, 0]`, so that :math:`\exp(q \log(1 + w))` keeps all its digits
when alpha comes near 1, where q is huge and w tiny.

Above 2 the slope is infinite wherever a key enters the support, and :math:`\tau` itself is badly
conditioned: a weight of 1e-3 may hang on its 20th digit. So the support is found first, by testing
its members; then the smallest weight v is the unknown. The sum of the weights,
:math:`v + \sum_k (d_k + v^{\alpha - 1})^q` with :math:`d_k` the distance to the lowest score in the
support, is a sum of norms, hence convex in v, with a slope of at least 1.
"""

import math

import numpy as np

from .exponentials_numba import bits64, float64_of
from .threshold_numba import (
    LANES,
    MARGIN,
    Array,
    bound,
    compiled,
    fill,
    fold,
    gather,
    hide,
    scale_lanes,
    summing,
)

LN2 = math.log(2.0)
LN2_HIGH = float.fromhex("0x1.62e42fee00000p-1")
"""The first 33 bits of log 2: its product with an exponent is exact."""
LN2_LOW = 1.9082149292705877e-10
INTEGERS = 1.5 * 2.0**52
"""Adding this rounds to an integer, which then stands in the lowest bits."""
INTEGERS_BITS = 0x4338000000000000
ROOT_HALF_BITS = 0x3FE6A09E667F3BCD


@compiled
def logarithm(number: float, less_one: float) -> float:
    """log(number) to full precision, given also number - 1; both written for vector units."""
    exponent = (bits64(number) - ROOT_HALF_BITS) >> 52
    mantissa = float64_of(bits64(number) - (exponent << 52))  # in [sqrt(1/2), sqrt(2))
    offset = less_one if exponent == 0 else mantissa - 1.0
    s = offset / (2.0 + offset)  # log(1 + offset) = 2 artanh(s)
    t = s * s
    series = 1 / 15 + t * (1 / 17 + t * (1 / 19 + t * (1 / 21)))
    series = 1 / 7 + t * (1 / 9 + t * (1 / 11 + t * (1 / 13 + t * series)))
    series = t * (1 / 3 + t * (1 / 5 + t * series))
    return (float64_of(INTEGERS_BITS + exponent) - INTEGERS) * LN2 + 2.0 * (s + s * series)


@compiled
def exponential(number: float) -> float:
    """exp(number) to full precision, for numbers kept within ±700."""
    number = min(max(number, -700.0), 700.0)
    shifted = number * (1.0 / LN2) + INTEGERS
    whole = shifted - INTEGERS
    r = (number - whole * LN2_HIGH) - whole * LN2_LOW
    series = 1 / 362880 + r * (1 / 3628800 + r * (1 / 39916800 + r * (1 / 479001600)))
    series = 1 / 120 + r * (1 / 720 + r * (1 / 5040 + r * (1 / 40320 + r * series)))
    series = 1.0 + r * (1.0 + r * (0.5 + r * (1 / 6 + r * (1 / 24 + r * series))))
    return float64_of(bits64(series) + (bits64(shifted) << 52))


@summing
def weigh(z: Array, count: int, shift: float, power: float, weights: Array) -> tuple[float, float]:
    """Fill in (1 + z - shift)_+^power; return its sum and the sum of the power below."""
    total, slope = 0.0, 0.0
    for i in range(count):
        less_one = max(z[i] - shift, -1.0)
        inside = less_one > -1.0
        excess = 1.0 + less_one if inside else 1.0
        weight = exponential(power * logarithm(excess, less_one))
        weight = weight if inside else 0.0
        weights[i] = weight
        total += weight
        slope += weight / excess
    return total, slope


@compiled
def newton(
    z: Array, count: int, shift: float, alpha: float, weights: Array, above: float, rounds: int
) -> tuple[float, float]:
    """Step from below until the weights sum to at most 1 + ``above``; the shift and the sum."""
    power = 1.0 / (alpha - 1.0)
    total, previous = 0.0, np.inf
    for _ in range(rounds):
        total, slope = weigh(z, count, shift, power, weights)
        if not 1.0 + above < total < previous:
            break
        previous = total
        shift -= math.expm1((1.0 - alpha) * math.log(total)) * total / slope
    return shift, total


@compiled
def smallest_kept(scores: Array, count: int, peak: float, scale: float, power: float) -> float:
    """The lowest score in the support: the sum over all that are higher is still below one."""
    out, kept = -np.inf, peak
    while True:
        first, last = np.inf, -np.inf
        for i in range(count):
            if out < scores[i] < kept:
                first, last = min(first, scores[i]), max(last, scores[i])
        if first > last:
            return kept
        middle, pivot = first + (last - first) / 2, first
        for i in range(count):
            if out < scores[i] < kept and scores[i] <= middle:
                pivot = max(pivot, scores[i])
        total = 0.0
        for i in range(count):
            if scores[i] > pivot:
                total += ((scores[i] - pivot) * scale) ** power
        if total < 1.0:
            kept = pivot
        else:
            out = pivot


@compiled
def steep(scores: Array, count: int, peak: float, alpha: float, weights: Array) -> float:
    """Weights for alpha above 2, and their sum; see the head of this file."""
    ratio, power = alpha - 1.0, 1.0 / (alpha - 1.0)
    lowest = smallest_kept(scores, count, peak, ratio, power)
    kept = 0
    for i in range(count):
        kept += 1 if scores[i] >= lowest else 0
    smallest, total, previous = 1.0 / kept, 0.0, np.inf
    for _ in range(100):
        lift, total, slope = smallest**ratio, 0.0, 0.0
        for i in range(count):
            weights[i] = 0.0
            if scores[i] == lowest:
                weights[i] = smallest
                slope += 1.0
            elif scores[i] > lowest:
                excess = (scores[i] - lowest) * ratio + lift
                weights[i] = excess**power
                slope += weights[i] / excess * lift / smallest
            total += weights[i]
        if not 1.0 < total < previous:
            break
        previous = total
        smallest -= (total - 1.0) / slope
    return total


@compiled
def entmax_rows(
    start: int,
    stop: int,
    scores: Array,
    allowed: Array,
    allowed_row: Array,
    weights: Array,
    alpha: float,
    above: float,
) -> None:
    """Alpha-entmax of some rows; arguments as in :func:`.threshold_numba.threshold_rows`."""
    length = scores.shape[1]
    lanes = np.empty(min(length, LANES), scores.dtype)
    shown = np.empty(length, scores.dtype)
    z = np.empty(length + 1, np.float64)
    found = np.empty(length + 1, np.float64)
    places = np.empty(length + 1, np.int64)
    for number in range(start, stop):
        row, out = scores[number], weights[number]
        if allowed.shape[0] > 0:
            hide(row, allowed[allowed_row[number]], shown)
            row = shown
        peak = fold(row, lanes)
        fill(out, 0.0 if peak < np.inf else np.nan)
        if not -np.inf < peak < np.inf:
            continue
        scale_lanes(lanes, peak, alpha - 1.0)
        if alpha > 2:
            # On [0, 1] a power below 1 lies above the identity: sparsemax is a lower bound.
            low = 1.0 + bound(lanes, 1)
        else:
            for j in range(lanes.shape[0]):
                z[j] = lanes[j]
            # Near 1, where z is small, so is the margin.
            low = newton(z, lanes.shape[0], 0.0, alpha, found, 1e-3, 8)[0] - MARGIN * (alpha - 1.0)
        count = gather(row, lanes, peak, alpha - 1.0, low - 1.0, z, places)
        if alpha > 2:
            for i in range(count):
                z[i] = row[places[i]]
            total = steep(z, count, peak, alpha, found)
        else:
            _, total = newton(z, count, low, alpha, found, above, 100)
        for i in range(count):
            out[places[i]] = found[i] / total


@summing
def raise_all(numbers: Array, count: int, power: float) -> float:
    """Raise positive numbers to a power in place; return their sum."""
    total = 0.0
    for i in range(count):
        raised = exponential(power * logarithm(numbers[i], numbers[i] - 1.0))
        numbers[i] = raised
        total += raised
    return total


@compiled
def entmax_gradient_rows(
    start: int, stop: int, weights: Array, grad: Array, out: Array, alpha: float
) -> None:
    """Gradient of some rows: s (g - sum(s g) / sum(s)) with s = p^(2 - alpha) on the support."""
    length = weights.shape[1]
    places = np.empty(length + 1, np.int64)
    s = np.empty(length + 1, np.float64)
    for number in range(start, stop):
        row, given, result = weights[number], grad[number], out[number]
        count, lightest = 0, 0
        for i in range(length):
            places[count] = i
            s[count] = row[i]
            count += 0 if row[i] <= 0 else 1
        fill(result, 0.0)
        for i in range(1, count):
            lightest = i if s[i] < s[lightest] else lightest
        # Above 2 the lightest key has nearly all of sum(s). Counted from its g, nothing cancels.
        base = np.float64(given[places[lightest]]) if count > 0 else 0.0
        mass, moment = raise_all(s, count, 2.0 - alpha), 0.0
        for i in range(count):
            moment += s[i] * (np.float64(given[places[i]]) - base)
        for i in range(count):
            result[places[i]] = s[i] * ((np.float64(given[places[i]]) - base) - moment / mass)
