"""What a training step gets: pictures of one size, boxes, labels, masks."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch.nn.utils.rnn import pad_sequence

from regard.data.regions import Pictured
from regard.data.regions.augmentation import IGNORED, NO_OBJECT
from regard.types import Float, Int, Tensor, UInt8

NO_EXAMPLE = -1
"""The index of a row that stands for no example."""


class Loaded(NamedTuple):
    """One picture in its frame."""

    pixels: UInt8[Tensor, "3 Y X"]
    boxes: Float[Tensor, "n 4"]
    """In pixels of the frame."""
    labels: Int[Tensor, " n"]
    mask: UInt8[Tensor, "Y X"] | None = None
    """Classes of pixels, ``IGNORED`` where none counts."""


class Batch(NamedTuple):
    """Some pictures side by side."""

    pixels: UInt8[Tensor, "B 3 Y X"]
    boxes: Float[Tensor, "B N 4"]
    labels: Int[Tensor, "B N"]
    """``NO_OBJECT`` where there is none."""
    masks: UInt8[Tensor, "B Y X"] | None
    indices: Int[Tensor, " B"]
    """The number of each example in its corpus; -1 for a row of nothing."""
    num_targets: int
    """What the pictures of this step count over all ranks."""

    @property
    def pictured(self) -> Pictured:
        """What may be moved about."""
        return Pictured(self.pixels, self.boxes, self.labels, self.masks)

    @property
    def counted(self) -> Float[Tensor, " B"]:
        """1 for a picture, 0 for a row that stands for none."""
        return (self.indices != NO_EXAMPLE).float()

    def to(self, device: torch.device | str) -> "Batch":
        """The batch on another device."""
        return Batch(
            self.pixels.to(device),
            self.boxes.to(device),
            self.labels.to(device),
            None if self.masks is None else self.masks.to(device),
            self.indices.to(device),
            self.num_targets,
        )


def batch_of(loaded: Sequence[Loaded], indices: Int[Tensor, " B"], num_targets: int) -> Batch:
    """Pictures of one size side by side."""
    masks = [one.mask for one in loaded if one.mask is not None]
    return Batch(
        pixels=torch.stack([one.pixels for one in loaded]),
        boxes=pad_sequence([one.boxes for one in loaded], batch_first=True),
        labels=pad_sequence(
            [one.labels for one in loaded], batch_first=True, padding_value=NO_OBJECT
        ),
        masks=torch.stack(masks) if masks else None,
        indices=indices,
        num_targets=num_targets,
    )


def empty_batch(height: int, width: int, *, masked: bool, num_targets: int = 1) -> Batch:
    """A grey picture that does not count, for a rank that no example is left for."""
    return Batch(
        pixels=torch.full((1, 3, height, width), 128, dtype=torch.uint8),
        boxes=torch.zeros(1, 1, 4),
        labels=torch.full((1, 1), NO_OBJECT),
        masks=torch.full((1, height, width), IGNORED, dtype=torch.uint8) if masked else None,
        indices=torch.full((1,), NO_EXAMPLE),
        num_targets=num_targets,
    )
