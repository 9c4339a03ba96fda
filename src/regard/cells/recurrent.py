"""A cell over whole sequences: one way, both ways, or piece by piece."""

from collections.abc import Iterator
from typing import Any, Generic, NamedTuple, overload

import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence

from regard.errors import ChoiceError, RangeError, ShapeError
from regard.functional.value import require_whole
from regard.types import Bool, Float, Int, Tensor

from .base import AnyState, Cell, State, check_input
from .lengths import checked_lengths, pack_as, reverse_sequences, unpack, zero_padding


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
            lengths = checked_lengths(lengths, x)
            x = zero_padding(x, lengths)
        before = self.cell.start(*x.shape[:-2]) if state is None else state
        return self.cell.run(x, before, lengths=lengths)


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
            lengths = checked_lengths(lengths, x)
        before = (None, None) if state is None else state
        right, after_right = self.rightward(x, before[0], lengths=lengths)
        left, after_left = self.leftward(reverse_sequences(x, lengths), before[1], lengths=lengths)
        outputs = torch.cat([right, reverse_sequences(left, lengths)], dim=-1)
        return outputs, BothStates(after_right, after_left)


class Segment(NamedTuple, Generic[AnyState]):
    """A piece of a sequence: its outputs, the state after it, and which steps they are."""

    outputs: Float[Tensor, "*B n H"]
    state: AnyState
    steps: slice


def chunks(
    recurrent: Recurrent[AnyState],
    x: Float[Tensor, "*B N D"],
    *,
    size: int,
    state: AnyState | None = None,
    lengths: Int[Tensor, "*b"] | None = None,
) -> Iterator[Segment[AnyState]]:
    """Run a sequence piece by piece; gradients stay inside a piece, the state goes on.

    >>> for outputs, state, steps in chunks(recurrent, x, size=35):
    ...     loss(outputs, targets[:, steps]).backward()

    Werbos 1990 (https://doi.org/10.1109/5.58337), Williams and Peng 1990
    (https://doi.org/10.1162/neco.1990.2.4.490). The same outputs as one run over all of ``x``, in
    the memory of ``size`` steps when each piece is used before the next is asked for.

    Args:
        recurrent: what runs.
        x: the inputs.
        size: steps per piece; the last one may have fewer.
        state: where to begin; gradients do reach it from the first piece.
        lengths: as in :class:`Recurrent`.

    Raises:
        RangeError: a size below 1.
    """
    require_whole("chunks", "size", size)
    if size < 1:
        raise RangeError(f"chunks needs a size of at least 1, got {size}")
    if lengths is not None:
        lengths = checked_lengths(lengths, x)
    return _pieces(recurrent, x, size, state, lengths)


def _pieces(
    recurrent: Recurrent[AnyState],
    x: Tensor,
    size: int,
    state: AnyState | None,
    lengths: Tensor | None,
) -> Iterator[Segment[AnyState]]:
    for begin in range(0, x.shape[-2], size):
        piece = x[..., begin : begin + size, :]
        steps = piece.shape[-2]
        left = None if lengths is None else (lengths - begin).clamp(0, steps)
        outputs, after = recurrent(piece, state, lengths=left)
        yield Segment(outputs, after, slice(begin, begin + steps))
        state = after.detach()
