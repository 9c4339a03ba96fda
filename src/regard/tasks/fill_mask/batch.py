"""What a training step gets: tokens with some of them hidden."""

from typing import NamedTuple

import torch

from regard.data.vocabulary.tokeniser import BOS
from regard.types import Bool, Int, Tensor

NO_EXAMPLE = -1
"""The index of a row that stands for no example."""


class Batch(NamedTuple):
    """Some texts side by side, short ones filled up."""

    tokens: Int[Tensor, "B N"]
    """``[CLS]``, then what is read."""
    lengths: Int[Tensor, " B"]
    places: Bool[Tensor, "B N"]
    """Which of them are to be guessed."""
    targets: Int[Tensor, " R"]
    """The tokens that stood there, row by row."""
    indices: Int[Tensor, " B"]
    """The number of each text in its corpus; -1 for a row of nothing."""
    num_targets: int
    """Hidden tokens of this step over all ranks, so that every rank can take the same mean."""

    def to(self, device: torch.device | str) -> "Batch":
        """The batch on another device."""
        return Batch._make([*(part.to(device) for part in self[:-1]), self.num_targets])


def empty_batch(num_targets: int = 1, start: int = BOS) -> Batch:
    """One row without a token to guess, for a rank that no text is left for."""
    one = torch.ones(1, dtype=torch.long)
    return Batch(
        tokens=torch.full((1, 1), start),
        lengths=one,
        places=torch.zeros(1, 1, dtype=torch.bool),
        targets=one[:0],
        indices=NO_EXAMPLE * one,
        num_targets=num_targets,
    )
