"""GRUs that reset after their matrix, compiled: single steps of a loop, and whole sequences.

Torch computes a step of a GRU by a dozen small operations, and twice as many backward. Here the
products are torch's, and all between two products is one pass over the numbers. The gradients of
the matrices are one product each, over all steps. Values are the same up to rounding. There are no
second derivatives.
"""

from functools import cache
from typing import Any, TypeGuard

import torch
from torch.autograd.function import once_differentiable

from regard.cells import GRU
from regard.cells.base import Cell
from regard.functional.kernels.available import numba_available
from regard.types import Bool, Float, Tensor


def compiled_for(*tensors: Tensor) -> bool:
    """Whether the kernels can run, and something will be learned from it."""
    plain = all(each.dtype == torch.float32 and each.device.type == "cpu" for each in tensors)
    seen_through = torch.is_autocast_enabled("cpu") or torch.compiler.is_compiling()
    return plain and not seen_through and torch.is_grad_enabled() and numba_available()


def runs_compiled(cell: Cell[Any], x: Tensor) -> TypeGuard[GRU]:
    """Whether :func:`gru_outputs` can run this cell."""
    return isinstance(cell, GRU) and cell.fusable() and compiled_for(x, *cell.kernel_weights())


def gru_step(
    inputs: Float[Tensor, "B HHH"], own: Float[Tensor, "B HHH"], hidden: Float[Tensor, "B H"]
) -> Float[Tensor, "B H"]:
    """The state after one step, from W x + b, U h + c and h; where :func:`compiled_for` says so."""
    return _Step.apply(inputs, own, hidden)  # type: ignore[no-untyped-call]


def gru_outputs(
    cell: GRU,
    x: Float[Tensor, "N B D"],
    active: Bool[Tensor, "N B"],
    *,
    leftward: bool = False,
) -> Float[Tensor, "N B H"]:
    """All states of a cell that begins with zeros; where :func:`runs_compiled` says so.

    Args:
        cell: which resets after its matrix.
        x: the inputs, steps first.
        active: where there is an input; elsewhere, states are zero.
        leftward: from the last step to the first.
    """
    return _Layer.apply(x, *cell.kernel_weights(), active, leftward)  # type: ignore[no-untyped-call]


class _Step(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, inputs: Tensor, own: Tensor, hidden: Tensor) -> Tensor:
        from regard.functional.kernels import gru_numba

        bias, active = _constants(*hidden.shape)
        gates, after = own.new_empty(own.shape), own.new_empty(hidden.shape)
        ctx.save_for_backward(own, hidden, gates)
        tensors = (inputs, own, bias, hidden, active, gates, after)
        gru_numba.advance(*(each.detach().contiguous().numpy() for each in tensors))
        return after

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, ...]:
        from regard.functional.kernels import gru_numba

        own, hidden, gates = ctx.saved_tensors
        bias, active = _constants(*hidden.shape)
        found = tuple(own.new_empty(each.shape) for each in (own, own, hidden))
        tensors = (gradient, own, bias, hidden, active, gates, *found)
        gru_numba.retreat(*(each.contiguous().numpy() for each in tensors))
        return found


class _Layer(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        weight: Tensor,
        matrix: Tensor,
        bias: Tensor,
        own_bias: Tensor,
        active: Tensor,
        leftward: bool,
    ) -> Tensor:
        from regard.functional.kernels import gru_numba

        steps, batch, _ = x.shape
        width = matrix.shape[1]
        of_gates, of_candidate = own_bias.split([2 * width, width])
        # What is inside the reset cannot be added before it.
        begin = bias + torch.cat([of_gates, torch.zeros_like(of_candidate)])
        flat = x.reshape(-1, x.shape[-1])
        inputs = torch.addmm(begin, flat, weight.T).view(steps, batch, -1)
        own, gates = torch.empty_like(inputs), torch.empty_like(inputs)
        states = x.new_zeros(steps + 1, batch, width)
        turn = _turns(steps, leftward)
        for t, before, after in turn:
            torch.mm(states[before], matrix.T, out=own[t])
            gru_numba.advance(
                inputs[t].numpy(),
                own[t].numpy(),
                of_candidate.numpy(),
                states[before].numpy(),
                active[t].numpy(),
                gates[t].numpy(),
                states[after].numpy(),
            )
        ctx.save_for_backward(flat, weight, matrix, of_candidate, active, own, gates, states)
        ctx.leftward = leftward
        return states[:-1] if leftward else states[1:]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        from regard.functional.kernels import gru_numba

        flat, weight, matrix, bias, active, own, gates, states = ctx.saved_tensors
        steps, batch, _ = gradient.shape
        of_inputs, of_own = torch.empty_like(own), torch.empty_like(own)
        rest = torch.empty_like(states[0])
        total = gradient.contiguous().clone()
        for t, before, _ in reversed(_turns(steps, ctx.leftward)):
            gru_numba.retreat(
                total[t].numpy(),
                own[t].numpy(),
                bias.numpy(),
                states[before].numpy(),
                active[t].numpy(),
                gates[t].numpy(),
                of_inputs[t].numpy(),
                of_own[t].numpy(),
                rest.numpy(),
            )
            earlier = t + 1 if ctx.leftward else t - 1
            if 0 <= earlier < steps:
                total[earlier] += rest.addmm_(of_own[t], matrix)
        of_inputs, of_own = of_inputs.flatten(0, 1), of_own.flatten(0, 1)
        befores = states[1:] if ctx.leftward else states[:-1]
        ones = of_own.new_ones(len(of_own))
        return (
            (of_inputs @ weight).view(steps, batch, -1) if ctx.needs_input_grad[0] else None,
            of_inputs.T @ flat,
            of_own.T @ befores.flatten(0, 1),
            of_inputs.T @ ones,
            of_own.T @ ones,
            None,
            None,
        )


def _turns(steps: int, leftward: bool) -> list[tuple[int, int, int]]:
    """Of every step in turn: its number, and where the states before and after it are."""
    if leftward:
        return [(t, t + 1, t) for t in reversed(range(steps))]
    return [(t, t, t + 1) for t in range(steps)]


@cache
def _constants(batch: int, width: int) -> tuple[Tensor, Tensor]:
    """No bias, and every row active."""
    return torch.zeros(width), torch.ones(batch, dtype=torch.bool)
