"""What a training step gets: padded tensors."""

from typing import NamedTuple

import torch

from regard.data.vocabulary.tokeniser import BOS, EOS, PAD
from regard.types import Bool, Int, Tensor

NO_EXAMPLE = -1
"""The index of a row that stands for no example."""


class Alignment(NamedTuple):
    """Which source tokens each target token should look at."""

    links: Bool[Tensor, "B T S"]
    """Row t is about the token that is to be predicted at step t; it may be empty."""
    gold: Bool[Tensor, " B"]
    """Which sentences have an alignment at all."""


class Batch(NamedTuple):
    """Some examples side by side, short ones filled up with ``pad``."""

    source: Int[Tensor, "B S"]
    """Source tokens, ``eos`` at the end."""
    source_lengths: Int[Tensor, " B"]
    target_in: Int[Tensor, "B T"]
    """Target tokens behind ``bos``: what the decoder reads."""
    target_out: Int[Tensor, "B T"]
    """Target tokens and ``eos``: what it is to predict, position by position."""
    target_lengths: Int[Tensor, " B"]
    indices: Int[Tensor, " B"]
    """The number of each example in its corpus, to find its references; -1 for a row of nothing."""
    alignment: Alignment | None
    """``None`` if no example of the batch has gold."""
    num_targets: int
    """Target tokens of this step over all ranks, so that every rank can take the same mean."""

    def to(self, device: torch.device | str) -> "Batch":
        """The batch on another device."""
        alignment = self.alignment
        return self._replace(
            **{name: getattr(self, name).to(device) for name in _TENSORS},
            alignment=alignment and Alignment(*[part.to(device) for part in alignment]),
        )


_TENSORS = (
    "source",
    "source_lengths",
    "target_in",
    "target_out",
    "target_lengths",
    "indices",
)


def empty_batch(num_targets: int = 1) -> Batch:
    """One row without a token to predict, for a rank that no example is left for."""
    one = torch.ones(1, dtype=torch.long)
    return Batch(
        source=torch.full((1, 1), EOS),
        source_lengths=one,
        target_in=torch.full((1, 1), BOS),
        target_out=torch.full((1, 1), PAD),
        target_lengths=one,
        indices=NO_EXAMPLE * one,
        alignment=None,
        num_targets=num_targets,
    )
