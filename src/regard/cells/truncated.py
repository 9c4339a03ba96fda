"""Truncated back-propagation through time."""

from collections.abc import Iterator
from typing import Generic, NamedTuple

from regard.errors import RangeError
from regard.functional.value import require_whole
from regard.types import Float, Int, Tensor

from .base import AnyState
from .lengths import settled
from .recurrent import Recurrent


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
        lengths = settled(lengths, x)
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
