"""Pad rows of different lengths into one tensor."""

from collections.abc import Sequence

import numpy as np
import torch

from regard.data.vocabulary.tokeniser import PAD
from regard.types import Int, Tensor

from .ragged import Numbers


def padded(
    rows: Sequence[Numbers], *, before: int | None = None, after: int | None = None
) -> Int[Tensor, "B N"]:
    """Rows in one tensor, each with one more token before or behind it if that is given."""
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
