"""Memory and functions by address, for kernels that are called with a table of addresses."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def _pointer(typing: Any, address: Any) -> Any:
    def generated(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))

    return types.voidptr(types.intp), generated


def _call(typing: Any, address: Any) -> Any:
    def generated(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function = ir.FunctionType(ir.IntType(32), [])
        found = builder.call(builder.inttoptr(arguments[0], function.as_pointer()), [])
        return builder.sext(found, ir.IntType(64))

    return types.int64(types.intp), generated


pointer: Any = intrinsic(_pointer)
"""``pointer(address)``: the memory there, for :func:`numba.carray`."""
call: Any = intrinsic(_call)
"""``call(address)``: what the C function there returns, an ``int`` or nothing to speak of."""
