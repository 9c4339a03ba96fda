"""Products of a few rows with a large matrix, compiled: all sums of a tile stay in registers."""

from typing import Any

import numpy as np

from .jit import jit
from .packed_weights import LANES, PANEL

Array = np.ndarray[Any, Any]


def _tile(height: int) -> Any:
    """An intrinsic for so many rows of one panel: ``out = x w + bias``, all by address."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    single, whole = ir.FloatType(), ir.IntType(64)
    vector = ir.VectorType(single, LANES)
    parts = range(PANEL // LANES)
    fused = ("contract",)

    def body(builder: Any, arguments: Any) -> None:
        x, x_step, w, inputs, bias, out, out_step = arguments

        def vector_at(address: Any, place: int) -> Any:
            start = builder.gep(address, [whole(place * LANES)])
            return builder.bitcast(start, vector.as_pointer())

        def floats(address: Any) -> Any:
            return builder.inttoptr(address, single.as_pointer())

        def spread(number: Any) -> Any:
            nothing = ir.Constant(vector, ir.Undefined)
            first = builder.insert_element(nothing, number, ir.IntType(32)(0))
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
            return builder.shuffle_vector(first, nothing, zeros)

        rows = [builder.gep(floats(x), [builder.mul(x_step, whole(r))]) for r in range(height)]
        begun = [builder.load(vector_at(floats(bias), part), align=4) for part in parts]
        before = builder.block
        loop, behind = builder.append_basic_block(), builder.append_basic_block()
        builder.branch(loop)
        builder.position_at_end(loop)
        k = builder.phi(whole)
        sums = [[builder.phi(vector) for _ in parts] for _ in rows]
        panel = builder.gep(floats(w), [builder.mul(k, whole(PANEL))])
        weights = [builder.load(vector_at(panel, part), align=4) for part in parts]
        grown = []
        for row, own in zip(rows, sums, strict=True):
            number = spread(builder.load(builder.gep(row, [k])))
            products = [builder.fmul(number, weight, flags=fused) for weight in weights]
            pairs = zip(own, products, strict=True)
            grown.append([builder.fadd(total, product, flags=fused) for total, product in pairs])
        following = builder.add(k, whole(1))
        k.add_incoming(whole(0), before)
        k.add_incoming(following, loop)
        for own, next_own in zip(sums, grown, strict=True):
            for total, start, next_total in zip(own, begun, next_own, strict=True):
                total.add_incoming(start, before)
                total.add_incoming(next_total, loop)
        builder.cbranch(builder.icmp_signed("<", following, inputs), loop, behind)
        builder.position_at_end(behind)
        for r, own in enumerate(grown):
            row = builder.gep(floats(out), [builder.mul(out_step, whole(r))])
            for part, total in zip(parts, own, strict=True):
                builder.store(total, vector_at(row, part), align=4)

    @intrinsic
    def tile(
        typing: Any, x: Any, x_step: Any, w: Any, inputs: Any, bias: Any, out: Any, out_step: Any
    ) -> Any:
        def generated(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            body(builder, arguments)
            return context.get_dummy_value()

        return types.void(*[types.intp] * 7), generated

    return tile


_tile_12, _tile_4, _tile_2, _tile_1 = _tile(12), _tile(4), _tile(2), _tile(1)


@jit()
def product(x: Array, w: Array, bias: Array, begin: int, end: int, out: Array) -> None:
    """``out = x Wᵀ + b`` in the panels ``begin:end``.

    Args:
        x: (R, K) in float32.
        w: (P, K, 32), see :func:`.packed_weights.packed`.
        bias: (32 P,).
        begin: first panel.
        end: one past the last.
        out: (R, 32 P).
    """
    rows, inputs = x.shape[0], w.shape[1]
    x_step, out_step = x.shape[1], out.shape[1]
    for panel in range(begin, end):
        weights = w.ctypes.data + 4 * panel * inputs * PANEL
        shift = bias.ctypes.data + 4 * panel * PANEL
        r = 0
        while r < rows:
            left = rows - r
            source = x.ctypes.data + 4 * r * x_step
            made = out.ctypes.data + 4 * (r * out_step + panel * PANEL)
            if left >= 12:
                _tile_12(source, x_step, weights, inputs, shift, made, out_step)
                r += 12
            elif left >= 4:
                _tile_4(source, x_step, weights, inputs, shift, made, out_step)
                r += 4
            elif left >= 2:
                _tile_2(source, x_step, weights, inputs, shift, made, out_step)
                r += 2
            else:
                _tile_1(source, x_step, weights, inputs, shift, made, out_step)
                r += 1
