"""GRUs that reset after their matrix, compiled: single steps of a loop, and whole sequences.

Torch computes a step of a GRU by a dozen small operations, and twice as many backward. Here the
products are torch's, and all between two products is one pass over the numbers. The gradients of
the matrices are one product each, over all steps. Values are the same up to rounding. Second
derivatives are those of torch's operations.
"""

from functools import cache, partial
from typing import Any, TypeGuard

import torch
from torch.nn.functional import linear

from regard.cells import GRU
from regard.cells.base import Cell
from regard.cells.gru import reset_after
from regard.kernels.derivatives import differentiated_again, gradients_of
from regard.types import Bool, Float, Tensor

from .plan import obstacle, plan


def compiled_for(*tensors: Tensor) -> bool:
    """Whether the kernels can run, and something will be learned from it."""
    return obstacle(*tensors) is None


def runs_compiled(cell: Cell[Any], x: Tensor) -> TypeGuard[GRU]:
    """Whether :func:`gru_outputs` can run this cell."""
    return plan(cell, x).name == "compiled"


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


def layer_definition(
    x: Float[Tensor, "N B D"],
    weight: Float[Tensor, "HHH D"],
    matrix: Float[Tensor, "HHH H"],
    bias: Float[Tensor, " HHH"],
    own_bias: Float[Tensor, " HHH"],
    *,
    active: Bool[Tensor, "N B"],
    leftward: bool,
) -> Float[Tensor, "N B H"]:
    """:func:`gru_outputs` by torch's operations."""
    read = active.unsqueeze(-1)
    inputs = linear(x.masked_fill(~read, 0), weight, bias)  # whatever stands where nothing is read
    hidden = x.new_zeros(x.shape[1], matrix.shape[1])
    states = [hidden] * len(x)
    for t, _, _ in _turns(len(x), leftward):
        after = reset_after(inputs[t], linear(hidden, matrix, own_bias), hidden)
        hidden = states[t] = after * read[t]
    return torch.stack(states)


class _Step(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, inputs: Tensor, own: Tensor, hidden: Tensor) -> Tensor:
        from regard.kernels import gru_numba

        bias, active = _constants(*hidden.shape)
        gates, after = own.new_empty(own.shape), own.new_empty(hidden.shape)
        ctx.save_for_backward(inputs, own, hidden, gates)
        tensors = (inputs, own, bias, hidden, active, gates, after)
        gru_numba.advance(*(each.detach().contiguous().numpy() for each in tensors))
        return after

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        from regard.kernels import gru_numba

        inputs, own, hidden, gates = ctx.saved_tensors
        if differentiated_again(gradient):
            return tuple(gradients_of(reset_after, (inputs, own, hidden), gradient))
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
        from regard.kernels import gru_numba

        steps, batch, _ = x.shape
        width = matrix.shape[1]
        of_gates, of_candidate = own_bias.split([2 * width, width])
        # Memory that numpy has seen cannot be resized, as FSDP does with that of parameters.
        of_candidate = of_candidate.clone()
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
        given = (x, weight, matrix, bias, own_bias)
        ctx.save_for_backward(*given, of_candidate, active, own, gates, states)
        ctx.leftward = leftward
        return states[:-1] if leftward else states[1:]

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        from regard.kernels import gru_numba

        *given, bias, active, own, gates, states = ctx.saved_tensors
        if differentiated_again(gradient):
            define = partial(layer_definition, active=active, leftward=ctx.leftward)
            return *gradients_of(define, given, gradient), None, None
        x, weight, matrix, _, _ = given
        flat = x.masked_fill(~active.unsqueeze(-1), 0).flatten(0, 1)  # NaN times 0 is no 0
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
