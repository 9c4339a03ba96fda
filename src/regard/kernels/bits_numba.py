"""Bit casts between floats and integers."""

from typing import Any

from numba import types
from numba.extending import intrinsic


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
