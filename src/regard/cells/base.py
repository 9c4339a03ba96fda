"""What every recurrent cell is: one step, and the loop that repeats it."""

from abc import abstractmethod
from typing import Any, ClassVar, Generic, TypeVar

import torch
from torch import nn

from regard.errors import DtypeError, ShapeError
from regard.functional.value import require_sizes
from regard.types import Float, Int, Tensor

from .states import Hidden, State

AnyState = TypeVar("AnyState", bound=State)


class Cell(nn.Module, Generic[AnyState]):
    """One step of a recurrence, with its parameters and without a state of its own.

    >>> state = cell.start(batch)                 # once per sequence
    >>> output, state = cell(x_t, state)          # in every step
    >>> outputs, state = Recurrent(cell)(x)       # all steps, where all inputs are known

    A state keeps the dtype it started with, so that under autocast the products are lowered and
    what is carried from step to step is not.

    Args:
        input_dim: width of the input x_t.
        hidden_dim: width of the output h_t.
    """

    state_type: ClassVar[Any] = Hidden
    """What :meth:`start` fills with zeros: a named tuple of vectors as wide as the output."""

    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__()
        require_sizes(type(self).__name__, input_dim=input_dim, hidden_dim=hidden_dim)
        self.input_dim, self.hidden_dim = input_dim, hidden_dim

    def start(self, *batch: int) -> AnyState:
        """The state before the first step: zeros, for a batch of this shape."""
        zeros = self.zeros(*batch, self.hidden_dim)
        return self.state_type(*[zeros] * len(self.state_type._fields))

    @abstractmethod
    def forward(
        self,
        x: Float[Tensor, "*B D"],
        state: AnyState,
        *,
        hidden_mask: Float[Tensor, "*B H"] | None = None,
    ) -> tuple[Float[Tensor, "*B H"], AnyState]:
        """Output and state after one step.

        Args:
            x: the input of this step.
            state: what the step before returned, or :meth:`start`.
            hidden_mask: multiplies what the recurrent matrices see of the state before, and
                nothing else; this is where variational dropout enters (:class:`Stack`).
        """

    def run(
        self,
        x: Float[Tensor, "*B N D"],
        state: AnyState,
        *,
        lengths: Int[Tensor, "*B"] | None = None,
        hidden_mask: Float[Tensor, "*B H"] | None = None,
    ) -> tuple[Float[Tensor, "*B N H"], AnyState]:
        """All steps in turn; :class:`Recurrent` checks what comes in and calls this.

        Beyond its length a sequence keeps its state, and its outputs are zero.
        """
        outputs = []
        for t, x_t in enumerate(x.unbind(-2)):
            output, after = self(x_t, state, hidden_mask=hidden_mask)
            if lengths is not None:
                active = t < lengths
                after = after.where(active, state)
                output = output.where(active.unsqueeze(-1), 0)
            outputs.append(output)
            state = after
        if not outputs:
            return x.new_zeros(*x.shape[:-1], self.hidden_dim), state
        return torch.stack(outputs, dim=-2), state

    def reset_parameters(self) -> None:
        r"""Draw every parameter from :math:`U(-1/\sqrt H, 1/\sqrt H)`, as torch's cells do."""
        bound = self.hidden_dim**-0.5
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -bound, bound)

    def zeros(self, *sizes: int) -> Tensor:
        """Zeros where the parameters are, and of their kind."""
        return next(self.parameters()).new_zeros(sizes)

    def check(self, x: Tensor, hidden: Tensor) -> None:
        """Raise unless an input of one step fits the cell and the state."""
        check_input(self, x, "(*B, D)", axes=1)
        needed = (*x.shape[:-1], self.hidden_dim)
        if hidden.shape != needed:
            raise ShapeError(
                f"{type(self).__name__} needs a state of shape {tuple(needed)} for the input "
                f"{tuple(x.shape)}, got {tuple(hidden.shape)}; begin with "
                f"start({', '.join(map(str, x.shape[:-1]))})"
            )

    def extra_repr(self) -> str:
        """The widths."""
        return f"{self.input_dim}, {self.hidden_dim}"


def check_input(cell: "Cell[AnyState]", x: Tensor, shape: str, *, axes: int) -> None:
    """Raise unless ``x`` is floating, has at least ``axes`` axes and the width of the cell."""
    name = type(cell).__name__
    if not x.is_floating_point():
        raise DtypeError(f"{name} needs a floating-point input, got {x.dtype}; embed tokens first")
    if x.dim() < axes or x.shape[-1] != cell.input_dim:
        raise ShapeError(
            f"{name} needs an input {shape} of width {cell.input_dim}, got {tuple(x.shape)}"
        )


def seen(hidden: Float[Tensor, "*B H"], mask: Tensor | None) -> Float[Tensor, "*B H"]:
    """What the recurrent matrices see of a hidden state."""
    return hidden if mask is None else hidden * mask
