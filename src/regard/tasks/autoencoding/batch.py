"""What a training step gets: texts and what is to come back of them, or pictures."""

from typing import NamedTuple

import torch

from regard.data.vocabulary.tokeniser import BOS, PAD
from regard.types import Int, Tensor, UInt8

NO_EXAMPLE = -1
"""The index of a row that stands for no example."""


class TextBatch(NamedTuple):
    """Some texts side by side, short ones filled up."""

    tokens: Int[Tensor, "B N"]
    """What is read, with its noise."""
    lengths: Int[Tensor, " B"]
    written: Int[Tensor, "B T"]
    """What begins a sentence, then what is to come back."""
    targets: Int[Tensor, "B T"]
    """The token after each of them."""
    indices: Int[Tensor, " B"]
    """The number of each text in its corpus; -1 for a row of nothing."""
    num_targets: int
    """Tokens to come back in this step, ends included, over all ranks."""

    def to(self, device: torch.device | str) -> "TextBatch":
        """The batch on another device."""
        return TextBatch._make([*(part.to(device) for part in self[:-1]), self.num_targets])


class PictureBatch(NamedTuple):
    """Some pictures of one size."""

    pixels: UInt8[Tensor, "B 3 Y X"]
    indices: Int[Tensor, " B"]
    """The number of each picture in its corpus; -1 for one of nothing."""
    num_targets: int
    """Pictures of this step over all ranks."""

    def to(self, device: torch.device | str) -> "PictureBatch":
        """The batch on another device."""
        return PictureBatch(self.pixels.to(device), self.indices.to(device), self.num_targets)


def empty_text(num_targets: int = 1) -> TextBatch:
    """One row with nothing to come back, for a rank that no text is left for."""
    one = torch.ones(1, dtype=torch.long)
    return TextBatch(
        tokens=torch.full((1, 1), BOS),
        lengths=one,
        written=torch.full((1, 1), BOS),
        targets=torch.full((1, 1), PAD),
        indices=NO_EXAMPLE * one,
        num_targets=num_targets,
    )


def empty_pictures(height: int, width: int, num_targets: int = 1) -> PictureBatch:
    """Two pictures that do not count."""
    pixels = torch.zeros(2, height, width, 3, dtype=torch.uint8).permute(0, 3, 1, 2)
    return PictureBatch(pixels, torch.full((2,), NO_EXAMPLE), num_targets)
