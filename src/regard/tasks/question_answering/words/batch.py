"""What a training step of a reader of stories gets."""

from typing import NamedTuple

import torch

from regard.models.reading import Stories
from regard.types import Int, Tensor

NO_EXAMPLE = -1
"""The index of a row that stands for no example."""
UNKNOWN = -100
"""The number of an answer that was not learned: no loss is taken of it."""
NO_SENTENCE = -1
"""Behind the last of the sentences that hold an answer."""


class Batch(NamedTuple):
    """Some stories with a question each, side by side."""

    stories: Stories
    answers: Int[Tensor, " B"]
    supports: Int[Tensor, "B S"]
    """The sentences that hold the answer in the order of the reasoning, and then -1."""
    indices: Int[Tensor, " B"]
    """The number of each question in its corpus."""
    num_targets: int
    """Questions of this step over all ranks, so that every rank can take the same mean."""

    def to(self, device: torch.device | str) -> "Batch":
        """The batch on another device."""
        return Batch(
            self.stories.to(device),
            self.answers.to(device),
            self.supports.to(device),
            self.indices.to(device),
            self.num_targets,
        )


def empty_batch(*, num_targets: int = 1) -> Batch:
    """One row without an answer, for a rank that no question is left for."""
    zeros = torch.zeros(1, 1, dtype=torch.long)
    return Batch(
        stories=Stories(zeros, zeros[0], zeros, zeros[0]),
        answers=torch.full((1,), UNKNOWN),
        supports=torch.full((1, 1), NO_SENTENCE),
        indices=torch.full((1,), NO_EXAMPLE),
        num_targets=num_targets,
    )
