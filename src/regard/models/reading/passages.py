"""Batches of passages with questions: each passage once, however many questions are about it."""

from typing import NamedTuple

import torch

from regard.types import Float, Int, Tensor

from ..text.embedding import Spelling

FEATURES = (
    "as written",
    "lower case",
    "stem",
    "rarity",
    "nearby",
    "frequency",
    "capital",
    "capitals",
    "digit",
    "year",
    "mark",
)
"""What is told of each word of a passage: whether the question has it (as it is written, in lower
case, without its ending), how rare it is if so, how much of the question stands nearby, how often
the passage has it, and what it looks like."""


class Passages(NamedTuple):
    """Passages, questions, and which question is about which passage."""

    passages: Int[Tensor, "P N"]
    passage_lengths: Int[Tensor, " P"]
    questions: Int[Tensor, "B J"]
    question_lengths: Int[Tensor, " B"]
    about: Int[Tensor, " B"]
    """The row of the passage of each question."""
    features: Float[Tensor, "B N F"]
    """The :data:`FEATURES` of each word of the passage, as the question sees it."""
    passage_spelling: Spelling | None = None
    """The characters of the words; ``None`` where they are not looked at."""
    question_spelling: Spelling | None = None

    @property
    def lengths(self) -> Int[Tensor, " B"]:
        """The length of the passage of each question."""
        return self.passage_lengths[self.about]

    def to(self, device: torch.device | str) -> "Passages":
        """The same on another device."""
        return self._replace(
            **{name: one.to(device) for name, one in self._asdict().items() if one is not None}
        )
