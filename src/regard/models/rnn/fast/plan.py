"""Which way a recurrent layer runs, and why."""

from typing import Any, Literal, NamedTuple

import torch

from regard.cells import GRU
from regard.cells.base import Cell
from regard.kernels.available import numba_available
from regard.kernels.derivatives import transformed
from regard.types import Tensor


class Plan(NamedTuple):
    """The path that runs, and why this one."""

    name: Literal["compiled", "definition"]
    why: str


def plan(cell: Cell[Any], x: Tensor) -> Plan:
    """The path of inputs through a cell, a step of it or all of a sequence.

    The definition is the cell's own: fused by torch over a whole sequence, its equations in a loop.

    >>> plan(GRU(2, 3), torch.ones(1, 5, 2)).why
    "a GRU that resets before its matrix needs two products a step, which are torch's"
    """
    if not isinstance(cell, GRU):
        return Plan("definition", f"{type(cell).__name__}: its products are torch's, like the rest")
    if cell.reset == "before":
        why = "a GRU that resets before its matrix needs two products a step, which are torch's"
        return Plan("definition", why)
    why_not = obstacle(x)
    if why_not is None and not cell.fusable():
        why_not = "the cell has hooks or equations of its own"
    if why_not is None:
        why_not = obstacle(*cell.kernel_weights())
    if why_not is not None:
        return Plan("definition", why_not)
    return Plan("compiled", "float32 on a CPU, to be learned from: one pass between two products")


def obstacle(*tensors: Tensor) -> str | None:
    """What keeps the kernels from running on these; ``None`` if nothing does."""
    if torch.is_autocast_enabled("cpu") or torch.compiler.is_compiling():
        return "autocast or torch.compile see through torch's operations alone"
    if transformed():
        return "torch.func and forward derivatives need torch's operations"
    if not all(each.dtype == torch.float32 and each.device.type == "cpu" for each in tensors):
        return "the kernels are for float32 on a CPU"
    if not torch.is_grad_enabled():
        return "without gradients torch's kernel is as fast"
    return None if numba_available() else "numba is not there, or turned off"
