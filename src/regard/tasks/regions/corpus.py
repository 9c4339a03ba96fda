"""Pictures as a corpus: read when they are wanted, kept as long as there is room."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from regard.data import batches
from regard.data.batches.pools import Positions

from .batch import Batch, Loaded, batch_of, empty_batch

KEPT = 2**30
"""Bytes of pictures that stay in memory; beyond, they are read anew whenever they are wanted."""


@dataclass
class Kept:
    """Pictures by number, read once if there is room for them.

    Args:
        read: reads one.
        most: bytes of all that are kept.
    """

    read: Callable[[int], Loaded]
    most: int = KEPT
    _kept: dict[int, Loaded] = field(default_factory=dict, init=False)
    _bytes: int = field(default=0, init=False)

    def __getitem__(self, row: int) -> Loaded:
        """The picture with this number."""
        found = self._kept.get(row)
        if found is not None:
            return found
        found = self.read(row)
        size = sum(part.nbytes for part in found if part is not None)
        if self._bytes + size <= self.most:
            self._kept[row] = found
            self._bytes += size
        return found


@dataclass(frozen=True)
class RegionCorpus(batches.Corpus[Batch]):
    """Pictures of one size with what is in them."""

    pictures: Kept
    weights: Sequence[int]
    """What each picture counts in a mean, at least 1."""
    fingerprint: str
    """Of what they are."""
    height: int
    width: int
    masked: bool

    def __len__(self) -> int:
        """How many pictures there are."""
        return len(self.weights)

    @property
    def digest(self) -> str:
        """A short fingerprint of what they are."""
        return self.fingerprint

    @property
    def steps(self) -> Positions:
        """One each: a budget of so many tokens is one of so many pictures."""
        return np.ones(len(self), dtype=np.int64)

    @property
    def counts(self) -> Positions:
        """What each counts."""
        return np.array(self.weights, dtype=np.int64)

    def batch(self, rows: Positions, *, indices: Positions, num_targets: int) -> Batch:
        """These pictures side by side; one that does not count if there are none."""
        if not len(rows):
            return empty_batch(self.height, self.width, masked=self.masked, num_targets=num_targets)
        loaded = [self.pictures[row] for row in rows.tolist()]
        return batch_of(loaded, torch.from_numpy(indices.copy()), num_targets)
