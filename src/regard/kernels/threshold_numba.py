r"""Rows of sparsemax and entmax, compiled: about three passes over a row.

With :math:`z_k = (\alpha - 1)(e_k - \max_j e_j) \le 0` and :math:`q = 1 / (\alpha - 1)` the weights
are :math:`(z_k - \tau)_+^q`, and :math:`\tau \in [-1, 0)` is where they sum to one.

1. Fold the row into a few lanes, each the maximum of every ``LANES``-th score.
2. The threshold of a *subset* of the scores is never above that of all of them, so the lanes give a
   lower bound, and the lanes above it are the only ones that hold candidates.
3. Newton on the candidates, in float64. It runs on the q-norm :math:`\|(z - \tau)_+\|_q`, which is
   convex in :math:`\tau`: from the left it never overshoots.
4. Write the row.

Masked and :math:`-\infty` scores are no candidates; a row without any other is zero. A row with an
allowed score of NaN or :math:`+\infty` is NaN.
"""

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .jit import jit
from .threads import over_rows

Array = np.ndarray[Any, Any]

POWERS = {2.0: 1, 1.5: 2}
"""1 / (alpha - 1) where there is a kernel of its own."""
SECONDS = 1e-9
"""About what one thread takes for one score."""
LANES = 128
MARGIN = 1e-5
"""How far the bound from the lanes is lowered: well above the rounding of 128 float32 sums."""

compiled = jit(liberties=frozenset({"contract"}))
"""For what must be computed in the order written."""
summing = jit()
"""For sums, which become vector instructions when they may be taken in any order."""


def weights(scores: Tensor, allowed: Tensor | None, alpha: float) -> Tensor:
    """Alpha-entmax over the last axis of a CPU tensor of float32 or float64, not empty.

    Args:
        scores: (*B, K).
        allowed: boolean, broadcastable to ``scores``; ``None`` allows all.
        alpha: above 1.
    """
    result = torch.empty(scores.shape, dtype=scores.dtype)
    different, which = _mask(allowed, scores.shape)
    block = _rows(scores), different, which, _rows(result)
    size = len(block[0]), scores.numel() * SECONDS
    if alpha in POWERS:
        over_rows(threshold_rows, *size, *block, POWERS[alpha])
    else:
        from .entmax_numba import entmax_rows

        above = 1e-9 if scores.dtype == torch.float32 else 1e-13
        over_rows(entmax_rows, *size, *block, alpha, above)
    return result


def gradient(weights: Tensor, grad: Tensor, alpha: float) -> Tensor:
    """Gradient of the scores, from the weights and their gradient, both (*B, K)."""
    result = torch.empty(weights.shape, dtype=weights.dtype)
    block = _rows(weights), _rows(grad), _rows(result)
    size = len(block[0]), weights.numel() * SECONDS
    if alpha in POWERS:
        over_rows(threshold_gradient_rows, *size, *block, POWERS[alpha])
    else:
        from .entmax_numba import entmax_gradient_rows

        over_rows(entmax_gradient_rows, *size, *block, alpha)
    return result


def _rows(tensor: Tensor) -> Array:
    """The memory of a tensor as rows; a copy only where its rows are not one after the other."""
    return tensor.detach().reshape(-1, tensor.shape[-1]).contiguous().numpy()


def _mask(allowed: Tensor | None, shape: torch.Size) -> tuple[Array, Array]:
    """The different rows of the mask, and which of them belongs to each row of scores.

    Axes along which the mask is only repeated, by broadcasting or by ``expand``, are not copied.
    """
    if allowed is None:
        return np.empty((0, shape[-1]), np.bool_), np.empty(0, np.int64)
    for axis in range(allowed.dim() - 1):
        if allowed.stride(axis) == 0:
            allowed = allowed.narrow(axis, 0, 1)
    allowed = allowed.expand(*allowed.shape[:-1], shape[-1])
    different = _rows(allowed)
    index = torch.arange(len(different)).reshape(allowed.shape[:-1]).expand(shape[:-1])
    return different, index.reshape(-1).numpy()


@compiled
def hide(row: Array, allowed: Array, out: Array) -> None:
    """Copy of a row with -inf in place of masked scores."""
    hidden = row.dtype.type(-np.inf)
    for i in range(row.shape[0]):
        out[i] = row[i] if allowed[i] else hidden


@compiled
def fill(row: Array, number: float) -> None:
    """Write one number everywhere."""
    for i in range(row.shape[0]):
        row[i] = number


@compiled
def fold(row: Array, lanes: Array) -> float:
    """Fill lane j with the maximum of row[j], row[j + width], …; return the overall maximum.

    A NaN is the maximum of whatever it is among.
    """
    width = lanes.shape[0]
    for j in range(width):
        lanes[j] = row[j]
    for begin in range(width, row.shape[0], width):
        part = row[begin : begin + width]
        for j in range(part.shape[0]):
            score = part[j]
            highest = lanes[j]
            lanes[j] = highest if (highest >= score) | (highest != highest) else score
    peak = lanes[0]
    for j in range(width):
        peak = peak if (peak >= lanes[j]) | (peak != peak) else lanes[j]
    return peak


@compiled
def scale_lanes(lanes: Array, peak: float, scale: float) -> None:
    """From scores to z."""
    factor = lanes.dtype.type(scale)
    for j in range(lanes.shape[0]):
        lanes[j] = (lanes[j] - peak) * factor


@summing
def sums(z: Array, count: int, tau: float, power: int) -> tuple[float, float]:
    """Sum of (z - tau)_+^power, and of (z - tau)_+^(power - 1), for power 1 or 2."""
    zero, low = z.dtype.type(0), z.dtype.type(tau)
    total, slope = zero, zero
    if power == 1:
        positive = 0
        for i in range(count):
            excess = z[i] - low
            positive += 1 if excess > zero else 0
            total += excess if excess > zero else zero
        slope = z.dtype.type(positive)
    else:
        for i in range(count):
            excess = z[i] - low
            excess = excess if excess > zero else zero
            total += excess * excess
            slope += excess
    return np.float64(total), np.float64(slope)


@compiled
def newton(z: Array, count: int, tau: float, power: int, above: float, rounds: int) -> float:
    """Step towards the threshold from below until the sum is within ``above`` of one."""
    for _ in range(rounds):
        total, slope = sums(z, count, tau, power)
        tau += (total - (1.0 if power == 1 else math.sqrt(total))) / slope
        if not total > 1.0 + above:
            break
    return tau


@compiled
def bound(lanes: Array, power: int) -> float:
    """A number not above the threshold of the whole row."""
    tau = -1.0
    for _ in range(8):
        total, slope = sums(lanes, lanes.shape[0], tau, power)
        if not total > 1.001:
            break
        tau += (total - (1.0 if power == 1 else math.sqrt(total))) / slope
    return tau - MARGIN


@compiled
def gather(
    row: Array, lanes: Array, peak: float, scale: float, tau: float, z: Array, places: Array
) -> int:
    """Collect every z above ``tau`` and where it stands; return how many there are."""
    low = lanes.dtype.type(tau)
    width, length = lanes.shape[0], row.shape[0]
    hits = 0
    for j in range(width):
        hits += 1 if lanes[j] > low else 0
    count = 0
    if 2 * hits > width:  # nearly everywhere: one pass in order is faster
        for i in range(length):
            excess = (np.float64(row[i]) - peak) * scale
            z[count] = excess
            places[count] = i
            count += 1 if excess > tau else 0
        return count
    for j in range(width):
        if lanes[j] > low:
            for i in range(j, length, width):
                excess = (np.float64(row[i]) - peak) * scale
                z[count] = excess
                places[count] = i
                count += 1 if excess > tau else 0
    return count


@compiled
def write(row: Array, peak: float, tau: float, power: int, out: Array) -> None:
    """Weights of a row whose threshold is known, for power 1 or 2."""
    kind = row.dtype.type
    zero, half = kind(0), kind(0.5)
    high = kind(tau)
    rest = kind(tau - np.float64(high))  # two parts: tau to nearly twice the digits of the row
    if power == 1:
        for i in range(row.shape[0]):
            excess = ((row[i] - peak) - high) - rest
            out[i] = zero if excess <= zero else excess
    else:
        for i in range(row.shape[0]):
            excess = ((row[i] - peak) * half - high) - rest
            out[i] = zero if excess <= zero else excess * excess


@compiled
def threshold_rows(
    start: int,
    stop: int,
    scores: Array,
    allowed: Array,
    allowed_row: Array,
    weights: Array,
    power: int,
) -> None:
    """Sparsemax (power 1) or 1.5-entmax (power 2) of some rows.

    Args:
        start: first row.
        stop: row after the last.
        scores: (rows, K).
        allowed: boolean (any, K), or (0, K) if everything is allowed.
        allowed_row: (rows,), which row of ``allowed`` belongs to each row of ``scores``.
        weights: (rows, K), written.
        power: 1 / (alpha - 1).
    """
    length = scores.shape[1]
    kind = scores.dtype
    lanes = np.empty(min(length, LANES), kind)
    shown = np.empty(length, kind)
    z = np.empty(length + 1, np.float64)
    places = np.empty(length + 1, np.int64)
    for number in range(start, stop):
        row = scores[number]
        if allowed.shape[0] > 0:
            hide(row, allowed[allowed_row[number]], shown)
            row = shown
        peak = fold(row, lanes)
        if not -np.inf < peak < np.inf:
            fill(weights[number], 0.0 if peak < 0 else np.nan)
            continue
        scale_lanes(lanes, peak, 1.0 / power)
        low = bound(lanes, power)
        count = gather(row, lanes, peak, 1.0 / power, low, z, places)
        tau = newton(z, count, low, power, 1e-9, length + 64)
        write(row, peak, tau, power, weights[number])


@summing
def threshold_gradient_rows(
    start: int, stop: int, weights: Array, grad: Array, out: Array, power: int
) -> None:
    """Gradient of some rows: s (g - sum(s g) / sum(s)), s = 1 (power 1) or sqrt(p) (power 2)."""
    kind = weights.dtype.type
    zero, one = kind(0), kind(1)
    for number in range(start, stop):
        row, given, result = weights[number], grad[number], out[number]
        moment, mass = 0.0, 0.0
        if power == 1:
            for i in range(row.shape[0]):
                moment += zero if row[i] <= zero else given[i]
                mass += zero if row[i] <= zero else one
            mean = kind(moment / mass) if mass != 0 else zero
            for i in range(row.shape[0]):
                result[i] = zero if row[i] <= zero else given[i] - mean
        else:
            for i in range(row.shape[0]):
                root = kind(math.sqrt(row[i]))
                moment += zero if row[i] <= zero else root * given[i]
                mass += root
            mean = kind(moment / mass) if mass != 0 else zero
            for i in range(row.shape[0]):
                result[i] = zero if row[i] <= zero else kind(math.sqrt(row[i])) * (given[i] - mean)
