"""The base of recurrent cells: a state, one step, and the loop over a sequence."""

from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

import torch
from torch import nn

from regard.errors import DtypeError, ShapeError
from regard.functional.value import require_sizes
from regard.types import Bool, Float, Int, Tensor

# The checker of the tests knows typing.Self only where it decorates whole classes.
Same = TypeVar("Same", bound="State")


@runtime_checkable
class State(Protocol):
    """Tensors whose first axis is the batch. No cell keeps one between calls."""

    def reorder(self: Same, rows: Int[Tensor, " b"]) -> Same:
        """The state of these elements of the batch, as beam search asks for."""

    def detach(self: Same) -> Same:
        """The same numbers, cut off from what they were computed from."""

    def where(self: Same, active: Bool[Tensor, "*B"], otherwise: Same) -> Same:
        """This state for active sequences, ``otherwise`` (the state before) for finished ones."""


class Hidden(NamedTuple):
    """The state of a cell without a memory of its own: h."""

    hidden: Float[Tensor, "*B H"]

    def reorder(self, rows: Int[Tensor, " b"]) -> "Hidden":
        """The state of these elements of the batch."""
        return Hidden(self.hidden.index_select(0, rows))

    def detach(self) -> "Hidden":
        """The same numbers without their history."""
        return Hidden(self.hidden.detach())

    def where(self, active: Bool[Tensor, "*B"], otherwise: "Hidden") -> "Hidden":
        """Finished sequences keep what they had."""
        return Hidden(self.hidden.where(active.unsqueeze(-1), otherwise.hidden))


class HiddenMemory(NamedTuple):
    """The state of an LSTM: h, which it shows, and c, which it keeps."""

    hidden: Float[Tensor, "*B H"]
    memory: Float[Tensor, "*B H"]

    def reorder(self, rows: Int[Tensor, " b"]) -> "HiddenMemory":
        """The state of these elements of the batch."""
        return HiddenMemory(self.hidden.index_select(0, rows), self.memory.index_select(0, rows))

    def detach(self) -> "HiddenMemory":
        """The same numbers without their history."""
        return HiddenMemory(self.hidden.detach(), self.memory.detach())

    def where(self, active: Bool[Tensor, "*B"], otherwise: "HiddenMemory") -> "HiddenMemory":
        """Finished sequences keep what they had."""
        rows = active.unsqueeze(-1)
        return HiddenMemory(
            self.hidden.where(rows, otherwise.hidden), self.memory.where(rows, otherwise.memory)
        )


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
        for part in vectors(state):
            self.check(x, part)
        hidden = vectors(state)[0]
        seen = hidden if hidden_mask is None else hidden * hidden_mask
        after = self.next_state(x, state, seen)
        return vectors(after)[0], after

    def next_state(
        self, x: Float[Tensor, "*B D"], state: AnyState, seen: Float[Tensor, "*B H"]
    ) -> AnyState:
        """The state after one step, its output first; a cell without one has its own ``forward``.

        Args:
            x: the input of this step.
            state: the state before it.
            seen: what the recurrent matrices see of the hidden state.
        """
        raise AssertionError(f"{type(self).__name__} defines neither next_state nor forward")

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


def vectors(state: State) -> tuple[Float[Tensor, "*B H"], ...]:
    """What a named tuple of vectors holds, the output of the cell first."""
    assert isinstance(state, tuple)
    return state
