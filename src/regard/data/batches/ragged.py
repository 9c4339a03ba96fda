"""Rows of different lengths: in one flat array with offsets, or padded into one tensor."""

from array import array
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regard.data.vocabulary.tokeniser import PAD

if TYPE_CHECKING:
    from torch import Tensor

Numbers = NDArray[np.int32]
Positions = NDArray[np.int64]


class Ragged(NamedTuple):
    """Rows of whole numbers, four bytes each and eight per row."""

    values: NDArray[Any]
    offsets: NDArray[Any]
    """Where each row starts, and where the last one ends."""

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.offsets) - 1

    def row(self, number: int) -> NDArray[Any]:
        """One row, as a view."""
        return self.values[self.offsets[number] : self.offsets[number + 1]]

    def rows(self, numbers: Positions) -> list[NDArray[Any]]:
        """Some rows, as views."""
        return [self.row(number) for number in numbers.tolist()]

    def lengths_of(self, numbers: Positions) -> Positions:
        """The length of some rows."""
        return self.offsets[numbers + 1] - self.offsets[numbers]

    @property
    def lengths(self) -> Positions:
        """The length of every row."""
        return np.diff(self.offsets)


class RaggedBuilder:
    """Collects rows one after the other."""

    def __init__(self) -> None:
        self._values = array("i")
        self._offsets = array("q", [0])

    def add(self, row: Iterable[Any]) -> None:
        """Append a row."""
        self._values.extend(row)
        self._offsets.append(len(self._values))

    def built(self) -> Ragged:
        """The rows so far."""
        return Ragged(
            np.array(self._values, dtype=np.int32), np.array(self._offsets, dtype=np.int64)
        )


def padded(
    rows: Sequence[Numbers], *, before: int | None = None, after: int | None = None
) -> "Tensor":
    """Rows (B, N) in one tensor, each with one more token before or behind it if that is given."""
    import torch

    more = (before is not None) + (after is not None)
    filled = np.full((len(rows), max(map(len, rows)) + more), PAD, dtype=np.int64)
    start = 0 if before is None else 1
    for number, row in enumerate(rows):
        filled[number, start : start + len(row)] = row
        if before is not None:
            filled[number, 0] = before
        if after is not None:
            filled[number, start + len(row)] = after
    return torch.from_numpy(filled)
