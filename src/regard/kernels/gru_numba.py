r"""The gates of a GRU's step, forward and backward, compiled.

.. math::
    r, z &= \sigma(x_{r, z} + o_{r, z}), \quad n = \tanh(x_n + r \odot (o_n + b)) \\
    h' &= z \odot h + (1 - z) \odot n

with :math:`x = W x_t` and :math:`o = U h`, whose columns stand in the order r, z, n. Numbers are
float32. A row that is not active gets zeros, and gives none of its gradient on.
"""

from typing import Any

import numpy as np

from .exponentials_numba import exponential
from .jit import jit
from .threads import over_rows

Array = np.ndarray[Any, Any]

FORWARD, BACKWARD = 2e-9, 1.5e-9
"""Seconds per row and unit on one thread, roughly."""


def advance(*arrays: Array) -> None:
    """One step of all rows, see :func:`advance_rows` for the arrays."""
    over_rows(advance_rows, len(arrays[0]), FORWARD * arrays[-1].size, *arrays)


def retreat(*arrays: Array) -> None:
    """The gradients of one step of all rows, see :func:`retreat_rows` for the arrays."""
    over_rows(retreat_rows, len(arrays[0]), BACKWARD * arrays[-1].size, *arrays)


@jit()
def advance_rows(
    begin: int,
    end: int,
    inputs: Array,
    own: Array,
    bias: Array,
    before: Array,
    active: Array,
    gates: Array,
    after: Array,
) -> None:
    """One step of some rows: fill ``gates`` with r, z and n, and ``after`` with h'.

    Args:
        begin: first row.
        end: one past the last.
        inputs: x, (B, 3H).
        own: o, (B, 3H).
        bias: b, (H,).
        before: h, (B, H).
        active: (B,), booleans.
        gates: (B, 3H).
        after: (B, H).
    """
    one, two, width = before.dtype.type(1), before.dtype.type(2), before.shape[1]
    for row in range(begin, end):
        x, o, h, gate, new = inputs[row], own[row], before[row], gates[row], after[row]
        if not active[row]:
            for j in range(width):
                new[j] = 0
            continue
        for j in range(2 * width):
            gate[j] = one / (one + exponential(-(x[j] + o[j])))
        for j in range(width):
            total = x[2 * width + j] + gate[j] * (o[2 * width + j] + bias[j])
            n = one - two / (one + exponential(two * total))
            gate[2 * width + j] = n
            new[j] = n + gate[width + j] * (h[j] - n)


@jit()
def retreat_rows(
    begin: int,
    end: int,
    gradient: Array,
    own: Array,
    bias: Array,
    before: Array,
    active: Array,
    gates: Array,
    of_inputs: Array,
    of_own: Array,
    of_before: Array,
) -> None:
    """The gradients of x, o and h of some rows, of h only what does not go through o.

    Args:
        begin: first row.
        end: one past the last.
        gradient: of h', (B, H).
        own, bias, before, active, gates: as :func:`advance_rows` had and left them.
        of_inputs: (B, 3H).
        of_own: (B, 3H).
        of_before: (B, H).
    """
    one, width = before.dtype.type(1), before.shape[1]
    for row in range(begin, end):
        g, o, h, gate = gradient[row], own[row], before[row], gates[row]
        of_x, of_o, of_h = of_inputs[row], of_own[row], of_before[row]
        if not active[row]:
            for j in range(3 * width):
                of_x[j] = 0
                of_o[j] = 0
            for j in range(width):
                of_h[j] = 0
            continue
        for j in range(width):
            r, z, n = gate[j], gate[width + j], gate[2 * width + j]
            of_n = g[j] * (one - z) * (one - n * n)
            of_r = of_n * (o[2 * width + j] + bias[j]) * r * (one - r)
            of_z = g[j] * (h[j] - n) * z * (one - z)
            of_x[j], of_o[j] = of_r, of_r
            of_x[width + j], of_o[width + j] = of_z, of_z
            of_x[2 * width + j], of_o[2 * width + j] = of_n, of_n * r
            of_h[j] = g[j] * z
