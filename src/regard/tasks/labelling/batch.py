"""What a training step gets: padded tokens, spelled words, labels."""

from typing import NamedTuple

import torch

from regard.data.annotated.codec import UNKNOWN_LABEL
from regard.models.text import Spelling
from regard.types import Int, Tensor

NO_EXAMPLE = -1
"""The index of a row that stands for no example."""


class Batch(NamedTuple):
    """Some texts side by side, short ones filled up."""

    tokens: Int[Tensor, "B N"]
    lengths: Int[Tensor, " B"]
    spelling: Spelling | None
    """The characters of the words; ``None`` where they are not looked at."""
    targets: Tensor
    """Numbers of labels, (B, N) for words or (B,) for texts; ``UNKNOWN_LABEL`` where there is none.
    """
    indices: Int[Tensor, " B"]
    """The number of each example in its corpus; -1 for a row of nothing."""
    num_targets: int
    """Labels of this step over all ranks, so that every rank can take the same mean."""
    also: tuple[Tensor, ...] = ()
    """Labels of other kinds, each as ``targets``, that are learned beside them."""

    @property
    def inputs(self) -> tuple[Tensor, Tensor, Spelling | None]:
        """What a model is called with."""
        return self.tokens, self.lengths, self.spelling

    def to(self, device: torch.device | str) -> "Batch":
        """The batch on another device."""
        return Batch(
            self.tokens.to(device),
            self.lengths.to(device),
            self.spelling and self.spelling.to(device),
            self.targets.to(device),
            self.indices.to(device),
            self.num_targets,
            tuple(one.to(device) for one in self.also),
        )


def empty_batch(*, per_word: bool, spelled: bool, num_targets: int = 1, also: int = 0) -> Batch:
    """One row without a label, for a rank that no example is left for."""
    zeros = torch.zeros(1, 1, dtype=torch.long)
    targets = torch.full((1, 1) if per_word else (1,), UNKNOWN_LABEL)
    return Batch(
        tokens=zeros,
        lengths=torch.ones(1, dtype=torch.long),
        spelling=Spelling(zeros, zeros[0], zeros) if spelled else None,
        targets=targets,
        indices=torch.full((1,), NO_EXAMPLE),
        num_targets=num_targets,
        also=(targets,) * also,
    )
