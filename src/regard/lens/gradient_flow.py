"""Gradient flow through a recurrence: the norm of the Jacobian by distance."""

from typing import Any

import torch

from regard.cells import Cell
from regard.errors import ChoiceError, RangeError, ShapeError
from regard.functional.value import require_whole
from regard.types import Float, Tensor


def gradient_flow(
    cell: Cell[Any],
    inputs: Float[Tensor, "*B N D"] | None = None,
    *,
    length: int = 100,
    through: str = "hidden",
    generator: torch.Generator | None = None,
) -> Float[Tensor, " N"]:
    r"""The size of the last state's derivative by each state before it.

    .. math:: \text{flow}_d = \left\| \frac{\partial h_T}{\partial h_{T-d}} \right\|_2,
              \quad d = 0, \dots, N - 1

    Bengio et al. 1994 (https://doi.org/10.1109/72.279181), Pascanu et al. 2013
    (https://arxiv.org/abs/1211.5063). Entry d is the largest singular value of the Jacobian over
    distance d, the mean over the batch; entry 0 of the hidden state is 1. In a simple recurrent
    network it shrinks or grows exponentially. The derivative is that of autograd: for an LSTM, by
    h_t with c_t held fixed, or by c_t (``through="memory"``) along all ways that lead from it. H
    backward passes over N steps. Parameters collect no gradients.

    Args:
        cell: any cell whose state has a hidden state.
        inputs: what the cell reads; ``None`` draws ``length`` steps of standard normal numbers.
        length: N, for drawn inputs.
        through: by which part of the state, e.g. ``"memory"`` for an LSTM.
        generator: where drawn inputs come from.

    Raises:
        ChoiceError: the state has no such part.
        ShapeError: inputs of the wrong width.
    """
    read = _draw_inputs(cell, length, generator) if inputs is None else inputs
    if read.dim() < 2 or read.shape[-1] != cell.input_dim or not read.numel():
        raise ShapeError(
            f"gradient_flow needs inputs (*B, N, D) of width {cell.input_dim} and at least one "
            f"step, got {tuple(read.shape)}"
        )
    with torch.enable_grad():
        parts, last = _unroll(cell, read, through)
        rows = [_row(last, parts, unit) for unit in range(last.shape[-1])]
    jacobians = torch.stack(rows, dim=-2)  # (N, *B, H, H)
    norms = torch.linalg.matrix_norm(jacobians.to(_wide(jacobians)), ord=2)
    return norms.reshape(len(parts), -1).mean(dim=1).flip(0)


def _draw_inputs(cell: Cell[Any], length: int, generator: torch.Generator | None) -> Tensor:
    require_whole("gradient_flow", "length", length)
    if length < 1:
        raise RangeError(f"gradient_flow needs a length of at least 1, got {length}")
    like = next(cell.parameters())
    return torch.randn(length, cell.input_dim, generator=generator).to(like)


def _unroll(cell: Cell[Any], inputs: Tensor, through: str) -> tuple[list[Tensor], Tensor]:
    """The chosen part of the state after every step, and the last hidden state."""
    state = cell.start(*inputs.shape[:-2])
    parts = []
    for x in inputs.detach().requires_grad_().unbind(-2):
        _, state = cell(x, state)
        if not all(isinstance(getattr(state, name, None), Tensor) for name in ("hidden", through)):
            raise ChoiceError(
                f"gradient_flow needs a state with the parts 'hidden' and {through!r}, "
                f"{type(cell).__name__} has {', '.join(state._fields)}"
            )
        parts.append(getattr(state, through))
    return parts, state.hidden


def _row(last: Tensor, parts: list[Tensor], unit: int) -> Float[Tensor, "N *B H"]:
    """One row of every Jacobian: the derivatives of one unit of the last state."""
    target = last[..., unit].sum()
    found = torch.autograd.grad(
        target, parts, retain_graph=True, allow_unused=True, materialize_grads=True
    )
    return torch.stack(found)


def _wide(x: Tensor) -> torch.dtype:
    return torch.promote_types(x.dtype, torch.float32)
