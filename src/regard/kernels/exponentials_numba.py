"""The exponential of float32, written so that loops over it become vector instructions.

And bit casts between floats and integers, which it is made of.
"""

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from .jit import jit

LOWEST, HIGHEST = np.float32(-87), np.float32(87)
"""Beyond them the exponential would leave the range of float32."""
LN2_HIGH = np.float32(0.693359375)
"""The first 9 bits of log 2: its product with an exponent is exact."""
LN2_LOW = np.float32(-0.00021219444005471377)
PER_LN2 = np.float32(1.4426950408889634)
INTEGERS = np.float32(1.5 * 2.0**23)
"""Adding this rounds to an integer, which then stands in the lowest bits."""
SERIES = tuple(np.float32(1 / divisor) for divisor in (5040, 720, 120, 24, 6, 2, 1, 1))
E7, E6, E5, E4, E3, E2, E1, E0 = SERIES


def reading(given: Any, wanted: Any) -> Any:
    """A compiled function that takes the bits of a ``given`` number for those of a ``wanted`` one.

    Both are types of numba, as wide as each other.
    """

    def read(context: Any, number: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.bitcast(arguments[0], context.get_value_type(wanted))

        return wanted(given), build

    return intrinsic(read)


bits32: Any = reading(types.float32, types.int32)
float32_of: Any = reading(types.int32, types.float32)
bits64: Any = reading(types.float64, types.int64)
float64_of: Any = reading(types.int64, types.float64)


@jit(liberties=frozenset({"contract"}))  # repeated in its caller, it would take its liberties
def exponential(number: Any) -> Any:
    """exp(number), to a few units of the last place; below -87 and above 87 it is that of those."""
    number = HIGHEST if number > HIGHEST else number  # lets NaN through, as min would not
    number = LOWEST if number < LOWEST else number
    shifted = number * PER_LN2 + INTEGERS
    whole = shifted - INTEGERS
    r = (number - whole * LN2_HIGH) - whole * LN2_LOW
    series = E3 + r * (E4 + r * (E5 + r * (E6 + r * E7)))
    series = E0 + r * (E1 + r * (E2 + r * series))
    return float32_of(bits32(series) + (bits32(shifted) << np.int32(23)))
