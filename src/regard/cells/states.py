"""What a cell carries from one step to the next: returned, and passed back."""

from typing import NamedTuple, Protocol, TypeVar, runtime_checkable

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
