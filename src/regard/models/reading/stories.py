"""Batches of stories: every different sentence once, and which sentence stands where."""

from typing import NamedTuple

import torch

from regard.types import Int, Tensor


class Stories(NamedTuple):
    """Stories and questions side by side.

    The same sentences come again and again in a batch, so each is read once. The question is a
    sentence too, and stands behind the last of its story.
    """

    sentences: Int[Tensor, "W S"]
    """The tokens of every different sentence; the first has none, it is that of padding."""
    sentence_lengths: Int[Tensor, " W"]
    index: Int[Tensor, "B NQ"]  # type: ignore[assignment]  # tuples have a method of this name
    """Which sentence stands at each place: those of the story, the question, padding."""
    lengths: Int[Tensor, " B"]
    """How many sentences each story has, without the question."""

    def to(self, device: torch.device | str) -> "Stories":
        """The same on another device."""
        return Stories(*[part.to(device) for part in self])


def ages(lengths: Int[Tensor, " B"], width: int) -> Int[Tensor, "B N"]:
    """How many sentences ago each was told: 1 is the last; 0 for the question and what follows."""
    places = torch.arange(width, device=lengths.device)
    return (lengths.unsqueeze(-1) - places).clamp(min=0)
