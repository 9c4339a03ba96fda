"""Sentences of any length in the rows of one matrix, without padding."""

from typing import NamedTuple

import torch

from regard.kernels.paged import Pages
from regard.types import Float, Int, Tensor


class FlatSentences(NamedTuple):
    """States, one token below the other."""

    states: Float[Tensor, "S M"]
    slots: Int[Tensor, "B n"]
    """The rows of each sentence; behind its end, any."""
    lengths: Int[Tensor, " B"]

    def pages(self) -> Pages:
        """For those who look at a sentence each."""
        return Pages(self.slots, self.lengths, torch.arange(len(self.lengths), device=self.device))

    def seen(self) -> Pages:
        """For the tokens, each of which looks at its own sentence; none may be padding."""
        each = torch.arange(len(self.lengths), device=self.device)
        return Pages(self.slots, self.lengths, each.repeat_interleave(self.lengths))

    @property
    def device(self) -> torch.device:
        """Where everything is."""
        return self.states.device


def flat(states: Float[Tensor, "S M"], lengths: Int[Tensor, " B"]) -> FlatSentences:
    """FlatSentences that stand one below the other, without padding."""
    starts = lengths.cumsum(0) - lengths
    columns = torch.arange(int(lengths.max()), device=lengths.device)
    slots = (starts.unsqueeze(-1) + columns).clamp(max=len(states) - 1)  # (B, N)
    return FlatSentences(states, slots, lengths)


def flat_padded(states: Float[Tensor, "B N M"], lengths: Int[Tensor, " B"]) -> FlatSentences:
    """FlatSentences that have a row of a padded batch each."""
    batch, width = states.shape[:2]
    slots = torch.arange(batch * width, device=states.device).view(batch, width)  # (B, N)
    return FlatSentences(states.flatten(0, 1), slots, lengths)
