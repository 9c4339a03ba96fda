"""Words and what stands beside them, as numbers."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from regard.data.batches.pools import Pool, Positions, Ragged, RaggedBuilder
from regard.data.chance import uniform
from regard.data.running.pools import DrawnCorpus
from regard.errors import InputError
from regard.types import Int, Tensor

from .codec import WordCodec
from .sampling import Sampling


class Batch(NamedTuple):
    """Pairs of words that stand beside each other, and words that do not."""

    words: Int[Tensor, " P"]
    contexts: Int[Tensor, " P"]
    """Beside each."""
    places: Int[Tensor, " P"]
    """Which place of the text each pair is about, counted from 0."""
    negatives: Int[Tensor, " S"]
    """Drawn for all of them."""
    indices: Int[Tensor, " B"]
    num_targets: int
    """Words of this step over all ranks."""

    def to(self, device: torch.device | str) -> "Batch":
        """The batch on another device."""
        return Batch._make([*(part.to(device) for part in self[:-1]), self.num_targets])


@dataclass(frozen=True)
class Texts(DrawnCorpus[Batch]):
    """Encoded texts, and what is drawn in one epoch."""

    tokens: Ragged
    counts_of_words: NDArray[Any]
    sampling: Sampling
    epoch: int = 0

    def __len__(self) -> int:
        """How many texts there are."""
        return len(self.tokens)

    @property
    def steps(self) -> Positions:
        """Words of every text."""
        return self.tokens.lengths

    @property
    def counts(self) -> Positions:
        """Words of every text."""
        return self.tokens.lengths

    @property
    def digest(self) -> str:
        """A short fingerprint of all numbers and of how they are drawn."""
        total = sha256(repr(self.sampling).encode())
        total.update(self.tokens.values.tobytes())
        total.update(self.tokens.offsets.tobytes())
        return total.hexdigest()[:16]

    @cached_property
    def _kept(self) -> NDArray[np.float64]:
        """With which probability a word stays: √(t/f), at most 1."""
        share = self.counts_of_words / self.counts_of_words.sum()
        return np.minimum(1, np.sqrt(self.sampling.frequent / share))

    @cached_property
    def _bounds(self) -> NDArray[np.float64]:
        """Where the part of each word ends, of the words that do not stand beside."""
        weights = np.cumsum(self.counts_of_words.astype(np.float64) ** self.sampling.power)
        found: NDArray[np.float64] = weights / weights[-1]
        return found

    def drawn(self, pool: Pool[Batch], epoch: int) -> Pool[Batch]:
        """The same texts in another epoch."""
        return replace(pool, corpus=replace(self, epoch=epoch))

    def batch(self, rows: Positions, *, indices: Positions, num_targets: int) -> Batch:
        """The pairs of these texts."""
        chosen = self.tokens.rows(rows)
        words = np.concatenate([np.zeros(0, dtype=np.int32), *chosen])
        text = np.repeat(indices, [len(row) for row in chosen])
        place = np.concatenate([np.zeros(0, dtype=np.int64), *(np.arange(len(r)) for r in chosen)])
        seed, window = self.sampling.seed, self.sampling.window
        reach = (1 + uniform(seed, self.epoch, text, place, 1) * window).astype(np.int64)
        stays = uniform(seed, self.epoch, text, place, 0) < self._kept[words]
        words = words[stays]
        centre, beside = _pairs(text[stays], reach[stays], window)
        first = indices[0] if len(indices) else 0
        drawn = uniform(seed, self.epoch, first, np.arange(self.sampling.shared), 2)
        negatives = np.searchsorted(self._bounds, drawn, side="right")
        found = words[centre], words[beside], centre, negatives, indices
        tensors = (torch.from_numpy(part.astype(np.int64)) for part in found)
        return Batch._make([*tensors, num_targets])


def _pairs(text: Positions, reach: Positions, window: int) -> tuple[Positions, Positions]:
    """All places and those beside them in the same text, as far as each reaches."""
    here, there = [], []
    for distance in range(1, window + 1):
        left = np.arange(max(0, len(text) - distance))
        right = left + distance
        same = text[left] == text[right]
        for centre, beside in ((left, right), (right, left)):
            chosen = same & (reach[centre] >= distance)
            here.append(centre[chosen])
            there.append(beside[chosen])
    return np.concatenate(here), np.concatenate(there)


def encode(
    paragraphs: Iterable[str], codec: WordCodec, sampling: Sampling, *, longest: int
) -> Texts:
    """Paragraphs as numbers of their words, a row each.

    Args:
        paragraphs: running text.
        codec: the words; others are left out.
        sampling: how pairs are drawn.
        longest: words of a paragraph that are read.

    Raises:
        InputError: there is none.
    """
    tokens = RaggedBuilder()
    for paragraph in paragraphs:
        tokens.add(codec.encode(paragraph)[:longest])
    built = tokens.built()
    if not len(built.values):
        raise InputError("a corpus needs at least one known word, got none")
    return Texts(built, np.array(list(codec.counts.values()), dtype=np.int64), sampling)
