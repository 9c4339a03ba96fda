"""One cell from left to right, one from right to left."""

from typing import Any, NamedTuple, overload

import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence

from regard.errors import ChoiceError, ShapeError
from regard.types import Bool, Float, Int, Tensor

from .base import Cell
from .lengths import backwards, settled
from .packed import pack_as, unpack
from .recurrent import Recurrent
from .states import State


class BothStates(NamedTuple):
    """The states after the last step to the right and after the last step to the left."""

    rightward: State
    leftward: State

    def reorder(self, rows: Int[Tensor, " b"]) -> "BothStates":
        """The states of these elements of the batch."""
        return BothStates(self.rightward.reorder(rows), self.leftward.reorder(rows))

    def detach(self) -> "BothStates":
        """The same numbers without their history."""
        return BothStates(self.rightward.detach(), self.leftward.detach())

    def where(self, active: Bool[Tensor, "*B"], otherwise: "BothStates") -> "BothStates":
        """Finished sequences keep what they had."""
        return BothStates(
            self.rightward.where(active, otherwise.rightward),
            self.leftward.where(active, otherwise.leftward),
        )


class Bidirectional(nn.Module):
    r"""Two cells over one sequence, in both directions.

    .. math:: y_t = [\overrightarrow h_t; \overleftarrow h_t]

    Schuster and Paliwal 1997 (https://doi.org/10.1109/78.650093). The cell to the left starts at
    the last step of each sequence, not at the end of the padding. Twice the cost of one direction.

    Args:
        forward: the cell that reads from the first step to the last.
        backward: the cell that reads from the last step to the first.
    """

    def __init__(self, forward: Cell[Any], backward: Cell[Any]) -> None:
        super().__init__()
        if forward.input_dim != backward.input_dim:
            raise ShapeError(
                "Bidirectional needs two cells with one input_dim, got "
                f"{forward.input_dim} and {backward.input_dim}"
            )
        self.rightward, self.leftward = Recurrent(forward), Recurrent(backward)
        self.input_dim = forward.input_dim
        self.hidden_dim = forward.hidden_dim + backward.hidden_dim

    @overload
    def forward(
        self, x: Tensor, state: BothStates | None = None, *, lengths: Tensor | None = None
    ) -> tuple[Tensor, BothStates]: ...

    @overload
    def forward(
        self, x: PackedSequence, state: BothStates | None = None
    ) -> tuple[PackedSequence, BothStates]: ...

    def forward(
        self,
        x: Float[Tensor, "*B N D"] | PackedSequence,
        state: BothStates | None = None,
        *,
        lengths: Int[Tensor, "*b"] | None = None,
    ) -> tuple[Float[Tensor, "*B N HH"] | PackedSequence, BothStates]:
        """Both outputs side by side, and both states; as :meth:`Recurrent.forward`."""
        if isinstance(x, PackedSequence):
            if lengths is not None:
                raise ChoiceError("a PackedSequence has lengths of its own; pass no others with it")
            padded, own = unpack(x)
            joined, after = self.forward(padded, state, lengths=own)
            return pack_as(x, joined), after
        if lengths is not None:
            lengths = settled(lengths, x)
        before = (None, None) if state is None else state
        right, after_right = self.rightward(x, before[0], lengths=lengths)
        left, after_left = self.leftward(backwards(x, lengths), before[1], lengths=lengths)
        outputs = torch.cat([right, backwards(left, lengths)], dim=-1)
        return outputs, BothStates(after_right, after_left)
