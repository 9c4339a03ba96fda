"""What a training step of a reader of passages gets."""

from typing import NamedTuple

import torch

from regard.models.reading import FEATURES, Passages
from regard.models.text import Spelling
from regard.types import Int, Tensor

NO_EXAMPLE = -1
"""The index of a row that stands for no example."""
NO_PLACE = -1
"""Where there is no further answer."""


class Batch(NamedTuple):
    """Some passages with questions about them, side by side."""

    read: Passages
    begins: Int[Tensor, "B A"]
    """The first word of every answer that people gave, and then -1."""
    ends: Int[Tensor, "B A"]
    """The last words."""
    questions: Int[Tensor, " B"]
    """The number of each question in its corpus."""
    indices: Int[Tensor, " P"]
    """The number of each passage with its questions in its corpus."""
    num_targets: int
    """Questions of this step over all ranks, so that every rank can take the same mean."""

    def to(self, device: torch.device | str) -> "Batch":
        """The batch on another device."""
        return self._replace(**{name: getattr(self, name).to(device) for name in self._fields[:-1]})


def empty_batch(*, spelled: bool, num_targets: int = 1) -> Batch:
    """One passage and a question without an answer, for a rank that nothing is left for."""
    zeros, one = torch.zeros(1, 1, dtype=torch.long), torch.ones(1, dtype=torch.long)
    spelling = Spelling(zeros, zeros[0], zeros) if spelled else None
    nowhere = torch.full((1, 1), NO_PLACE)
    features = torch.zeros(1, 1, len(FEATURES))
    read = Passages(zeros, one, zeros, one, zeros[0], features, spelling, spelling)
    none = torch.full((1,), NO_EXAMPLE)
    return Batch(read, nowhere, nowhere, none, none, num_targets)
