"""A whole stack of Transformer layers, compiled: its threads meet at barriers, not in Python.

A stack is a list of operations on a few matrices, each with a row for every token that enters.
Every thread runs all of them: some of the columns of a product, some of the rows of all else.
Numbers are float32, addresses and sizes are whole numbers in tables.
"""

from enum import IntEnum, auto
from math import sqrt
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np.numpy_support import carray

from .jit import compiled_callback, jit
from .matmul_numba import product
from .packed_weights import PANEL
from .paged_numba import attend_rows

Array = np.ndarray[Any, Any]


class Kind(IntEnum):
    """What an operation does."""

    MAP = 0
    """target = source Wᵀ + b."""
    MAP_RELU = auto()
    """The same, and nothing below 0."""
    ATTEND_ROWS = auto()
    """Look at rows of ``source``: queries, keys and values side by side."""
    ATTEND_OWN = auto()
    """Write keys and values behind the queries of ``source``, then look at all of the target."""
    ATTEND_MEMORY = auto()
    """Look at another text."""
    LEAVE = auto()
    """states += source, target = LayerNorm(states); the two may be one matrix."""
    KEEP = auto()
    """target = source."""
    CLEAR = auto()
    """target = 0."""


class Matrix(IntEnum):
    """The matrices."""

    STATES = 0
    """What goes around sublayers."""
    READ = auto()
    """What sublayers read."""
    MAPPED = auto()
    """What is projected of it."""
    FOUND = auto()
    """What attention found."""
    ADDED = auto()
    """What a sublayer adds."""
    KEPT = auto()
    """What is wanted besides."""
    SAID = auto()
    """What comes out; there may be more behind it."""


class Operation(IntEnum):
    """Columns of the list of operations."""

    KIND = 0
    SOURCE = auto()
    """Its matrix."""
    COLUMNS = auto()
    """Columns of the source, filled up or not."""
    INPUTS = auto()
    """Those of them that are read."""
    TARGET = auto()
    TARGET_COLUMNS = auto()
    NUMBERS = auto()
    """Address of W in panels, or of scale, shift and epsilon; where it attends, the layer."""
    BIAS = auto()
    """Address of b."""


class Pages(IntEnum):
    """Addresses and sizes of what is looked at: a text itself, or another one."""

    LAYERS = 0
    """Keys and values side by side, an address for each layer."""
    SLOTS = auto()
    COUNTS = auto()
    LISTS = auto()
    LONGEST = auto()
    """Columns of the slots."""
    COUNT = auto()
    """Rows of the slots."""


class Table(IntEnum):
    """Where everything is."""

    BARRIER = 0
    """Function that threads wait in for each other; 0 for a thread that is alone."""
    NUMBER = auto()
    """Function that tells a thread its number."""
    THREADS = auto()
    """Function that tells how many there are."""
    ROWS = auto()
    HEADS = auto()
    KEY_HEADS = auto()
    WIDTH = auto()
    """Features of a head."""
    FIRST = auto()
    """Where among the rows of the target's keys those of this step begin."""
    COUNT = auto()
    """Operations."""
    OPERATIONS = auto()
    MATRICES = auto()
    OWN = 11
    """Six numbers, see :class:`Pages`."""
    MEMORY = 17
    END = 23


SIZE, COLUMNS, PAGES = int(Table.END), len(Operation), len(Pages)


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


@jit()
def step(table: Array, thread: int, threads: int) -> None:
    """One thread's share of a step.

    Args:
        table: see :class:`Table`.
        thread: its number, from 0.
        threads: how many there are.
    """
    rows, width = table[Table.ROWS], table[Table.WIDTH]
    heads = (table[Table.HEADS], table[Table.KEY_HEADS], width)
    pairs, queries = 2 * heads[1] * width, heads[0] * width
    begin, end = rows * thread // threads, rows * (thread + 1) // threads
    matrices = table[Table.MATRICES]
    for number in range(table[Table.COUNT]):
        each = _wholes(table[Table.OPERATIONS] + 8 * COLUMNS * number, COLUMNS)
        kind, wide = each[Operation.KIND], each[Operation.TARGET_COLUMNS]
        source = _floats(_whole(matrices, each[Operation.SOURCE]), rows, each[Operation.COLUMNS])
        target = _floats(_whole(matrices, each[Operation.TARGET]), rows, wide)
        if kind <= Kind.MAP_RELU:
            panels = wide // PANEL
            weight = carray(
                pointer(each[Operation.NUMBERS]),
                (panels, each[Operation.INPUTS], PANEL),
                np.float32,
            )
            bias = carray(pointer(each[Operation.BIAS]), (wide,), np.float32)
            left, right = panels * thread // threads, panels * (thread + 1) // threads
            product(source, weight, bias, left, right, target)
            if kind == Kind.MAP_RELU:
                for r in range(rows):
                    for d in range(left * PANEL, right * PANEL):
                        target[r, d] = max(target[r, d], np.float32(0))
        elif kind <= Kind.ATTEND_MEMORY:
            place = Table.MEMORY if kind == Kind.ATTEND_MEMORY else Table.OWN
            seen, keys, first = _wholes(table.ctypes.data + 8 * place, PAGES), source, queries
            if kind != Kind.ATTEND_ROWS:
                layer = _whole(seen[Pages.LAYERS], each[Operation.NUMBERS])
                keys, first = _floats(layer, table[Table.FIRST] + rows, pairs), 0
            if kind == Kind.ATTEND_OWN:
                for r in range(begin, end):
                    for d in range(pairs):
                        keys[table[Table.FIRST] + r, d] = source[r, queries + d]
            lists = (
                carray(
                    pointer(seen[Pages.SLOTS]), (seen[Pages.COUNT], seen[Pages.LONGEST]), np.int64
                ),
                _wholes(seen[Pages.COUNTS], seen[Pages.COUNT]),
                _wholes(seen[Pages.LISTS], rows),
            )
            attend_rows(begin, end, source, keys, first, lists, heads, 1 / sqrt(width), target)
        elif kind == Kind.LEAVE:
            states = _floats(_whole(matrices, Matrix.STATES), rows, wide)
            _leave(states, source, each[Operation.NUMBERS], begin, end, target)
        else:
            for r in range(begin, end):
                for d in range(wide):
                    target[r, d] = source[r, d] if kind == Kind.KEEP else np.float32(0)
        if table[Table.BARRIER]:
            call(table[Table.BARRIER])


@jit()
def _leave(states: Array, added: Array, norm: int, begin: int, end: int, read: Array) -> None:
    width = states.shape[1]
    numbers = carray(pointer(norm), (2 * width + 1,), np.float32)
    scale, shift, eps = numbers[:width], numbers[width : 2 * width], numbers[2 * width]
    for r in range(begin, end):
        row, other, out = states[r], added[r], read[r]
        total = np.float32(0)
        for d in range(width):
            row[d] += other[d]
            total += row[d]
        mean = np.float32(total / width)
        squares = np.float32(0)
        for d in range(width):
            squares += (row[d] - mean) * (row[d] - mean)
        factor = np.float32(1 / sqrt(squares / width + eps))
        for d in range(width):
            out[d] = (row[d] - mean) * factor * scale[d] + shift[d]


@jit()
def _floats(address: int, rows: int, columns: int) -> Array:
    return carray(pointer(address), (rows, columns), np.float32)


@jit()
def _wholes(address: int, count: int) -> Array:
    return carray(pointer(address), (count,), np.int64)


@jit()
def _whole(address: int, place: int) -> int:
    """The number that stands in one place of many."""
    return int(_wholes(address, place + 1)[place])


def _share(table: Any) -> None:
    numbers = carray(table, (SIZE,), np.int64)
    step(numbers, call(numbers[Table.NUMBER]), call(numbers[Table.THREADS]))


share = compiled_callback(_share)
"""What every thread of a team runs: a function of C, of a table's address."""
