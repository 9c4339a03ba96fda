"""The gradients of attention with sparse weights, row by row over the support, compiled."""

from math import sqrt
from typing import Any

import numpy as np

from .jit import jit

Array = np.ndarray[Any, Any]


@jit()
def support_rows(
    weights: Array,
    query: Array,
    key: Array,
    value: Array,
    gradient: Array,
    alpha: float,
    scale: float,
    begin: int,
    end: int,
    by_query: Array,
    by_key: Array,
    by_value: Array,
) -> None:
    """Add the gradients of the maps ``begin:end``."""
    num_keys, width, depth = weights.shape[2], query.shape[2], value.shape[2]
    columns = np.empty(num_keys + 1, np.int64)
    slopes, through = np.empty(num_keys), np.empty(num_keys)
    for b in range(begin, end):
        for i in range(query.shape[1]):
            count = 0
            for j in range(num_keys):
                columns[count] = j
                count += weights[b, i, j] != 0
            total = mean = 0.0
            for s in range(count):
                j = columns[s]
                weight = weights[b, i, j]
                passed = gradient.dtype.type(0)
                for e in range(depth):
                    passed += gradient[b, i, e] * value[b, j, e]
                    by_value[b, j, e] += weight * gradient[b, i, e]
                slope = (
                    1.0 if alpha == 2 else sqrt(weight) if alpha == 1.5 else weight ** (2 - alpha)
                )
                slopes[s], through[s] = slope, passed
                total += slope
                mean += slope * passed
            mean /= max(total, 1e-300)
            for s in range(count):
                j = columns[s]
                share = query.dtype.type(scale * slopes[s] * (through[s] - mean))
                for d in range(width):
                    by_query[b, i, d] += share * key[b, j, d]
                    by_key[b, j, d] += share * query[b, i, d]
