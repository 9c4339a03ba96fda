"""A cell over whole sequences."""

from typing import Generic, overload

from torch import nn
from torch.nn.utils.rnn import PackedSequence

from regard.errors import ChoiceError
from regard.types import Float, Int, Tensor

from .base import AnyState, Cell, check_input
from .lengths import blanked, settled
from .packed import pack_as, unpack


class Recurrent(nn.Module, Generic[AnyState]):
    """A cell run over sequences, in torch's fused kernel where the cell has one.

    >>> outputs, state = Recurrent(LSTM(3, 5))(x, lengths=lengths)

    The same numbers as one step after the other, O(N) steps. Beyond its length a sequence keeps its
    last state and its outputs are zero; what stands in the input there has no influence. A sequence
    of length 0 keeps the state it came with. A ``PackedSequence`` gives one back, with the state in
    the order of the batch that was packed.

    Args:
        cell: any :class:`Cell`, a :class:`Stack` among them.
    """

    def __init__(self, cell: Cell[AnyState]) -> None:
        super().__init__()
        self.cell = cell

    @overload
    def forward(
        self,
        x: Tensor,
        state: AnyState | None = None,
        *,
        lengths: Tensor | None = None,
    ) -> tuple[Tensor, AnyState]: ...

    @overload
    def forward(
        self, x: PackedSequence, state: AnyState | None = None
    ) -> tuple[PackedSequence, AnyState]: ...

    def forward(
        self,
        x: Float[Tensor, "*B N D"] | PackedSequence,
        state: AnyState | None = None,
        *,
        lengths: Int[Tensor, "*b"] | None = None,
    ) -> tuple[Float[Tensor, "*B N H"] | PackedSequence, AnyState]:
        """All outputs, and the state after the last step of each sequence.

        Args:
            x: the inputs.
            state: where to begin; ``None`` is :meth:`Cell.start`.
            lengths: how many steps each sequence has; ``None`` is all of them.

        Raises:
            ShapeError: the input or its lengths do not fit.
            ChoiceError: lengths beside a packed sequence, which has its own.
        """
        if isinstance(x, PackedSequence):
            if lengths is not None:
                raise ChoiceError("a PackedSequence has lengths of its own; pass no others with it")
            padded, own = unpack(x)
            outputs, after = self.forward(padded, state, lengths=own)
            return pack_as(x, outputs), after
        check_input(self.cell, x, "(*B, N, D)", axes=2)
        if lengths is not None:
            lengths = settled(lengths, x)
            x = blanked(x, lengths)
        before = self.cell.start(*x.shape[:-2]) if state is None else state
        return self.cell.run(x, before, lengths=lengths)
