"""What a training step gets: pixels of eight bits and labels."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple

import numpy as np
import torch

from regard.data import batches
from regard.data.batches.pools import Positions
from regard.data.images.labelled.base import Pixels
from regard.types import Int, Tensor, UInt8

from .codec import UNKNOWN_LABEL

NO_EXAMPLE = -1
"""The index of a row that stands for no example."""


class Batch(NamedTuple):
    """Some pictures of one size."""

    pixels: UInt8[Tensor, "B 3 Y X"]
    """uint8, channels last."""
    targets: Int[Tensor, " B"]
    """Numbers of labels; ``UNKNOWN_LABEL`` where there is none."""
    indices: Int[Tensor, " B"]
    """The number of each picture in its corpus; -1 for a row of nothing."""
    num_targets: int
    """Labels of this step over all ranks, so that every rank can take the same mean."""

    def to(self, device: torch.device | str) -> "Batch":
        """The batch on another device."""
        return Batch(
            self.pixels.to(device),
            self.targets.to(device),
            self.indices.to(device),
            self.num_targets,
        )


def empty_batch(height: int, width: int, *, num_targets: int = 1) -> Batch:
    """Two pictures without a label, for a rank that no example is left for."""
    pixels = torch.zeros(2, height, width, 3, dtype=torch.uint8).permute(0, 3, 1, 2)
    nothing = torch.full((2,), NO_EXAMPLE)
    return Batch(pixels, torch.full((2,), UNKNOWN_LABEL), nothing, num_targets)


@dataclass(frozen=True, eq=False)
class Corpus(batches.Corpus[Batch]):
    """Pictures in memory as bytes; each counts as one step, so a batch is so many pictures."""

    pixels: Pixels
    """(N, Y, X, 3)."""
    targets: Positions
    """Numbers of labels."""

    def __len__(self) -> int:
        """How many pictures there are."""
        return len(self.targets)

    @cached_property
    def steps(self) -> Positions:
        """All are of one size."""
        return np.ones(len(self), dtype=np.int64)

    @cached_property
    def counts(self) -> Positions:
        """Labels that are known."""
        return (self.targets != UNKNOWN_LABEL).astype(np.int64)

    @cached_property
    def digest(self) -> str:
        """A short fingerprint of all pixels and labels."""
        total = sha256(str(self.pixels.shape).encode())
        total.update(np.ascontiguousarray(self.pixels).data)
        total.update(self.targets.tobytes())
        return total.hexdigest()[:16]

    def batch(self, rows: Positions, *, indices: Positions, num_targets: int) -> Batch:
        """These pictures side by side; a batch of nothing if there are none."""
        if not len(rows):
            _, height, width, _ = self.pixels.shape
            return empty_batch(height, width, num_targets=num_targets)
        return Batch(
            torch.from_numpy(self.pixels[rows]).permute(0, 3, 1, 2),
            torch.from_numpy(self.targets[rows]),
            torch.from_numpy(indices.copy()),
            num_targets,
        )
