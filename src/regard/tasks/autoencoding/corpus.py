"""Texts and pictures as numbers, in compact arrays."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256

import numpy as np
import torch

from regard.data import batches
from regard.data.batches.pools import Pool, Positions, Ragged, RaggedBuilder, padded
from regard.data.images.labelled.base import Pixels
from regard.data.running.pools import DrawnCorpus
from regard.data.vocabulary import Tokeniser
from regard.data.vocabulary.tokeniser import BOS, EOS
from regard.errors import InputError

from .batch import PictureBatch, TextBatch, empty_pictures, empty_text
from .noise import Noise
from .noising import noised


@dataclass(frozen=True)
class Texts(DrawnCorpus[TextBatch]):
    """Encoded texts, and what is read of them in one epoch."""

    tokens: Ragged
    """What is to come back."""
    noise: Noise
    unknown: int
    inputs: Ragged | None = None
    """What is read, where it is something else."""
    left_out: int = 0
    """Texts that were too long."""

    def __len__(self) -> int:
        """How many texts there are."""
        return len(self.tokens)

    @property
    def steps(self) -> Positions:
        """Tokens of every text, its end included."""
        return self.tokens.lengths + 1

    @property
    def counts(self) -> Positions:
        """All of them are to come back."""
        return self.steps

    @cached_property
    def digest(self) -> str:
        """A short fingerprint of all numbers and of the noise."""
        total = sha256(repr(self.noise).encode())
        total.update(self.tokens.values.tobytes())
        total.update(self.tokens.offsets.tobytes())
        return total.hexdigest()[:16]

    def drawn(self, pool: Pool[TextBatch], epoch: int) -> Pool[TextBatch]:
        """The texts of a pool as they are read in an epoch."""
        if not self.noise:
            return pool
        parts = RaggedBuilder()
        for row in self.tokens.rows(pool.rows):
            parts.add(row)
        tokens = parts.built()
        inputs = noised(tokens, self.noise, numbers=pool.indices, epoch=epoch, unknown=self.unknown)
        texts = replace(self, tokens=tokens, inputs=inputs)
        return Pool(texts, np.arange(len(texts)), pool.indices)

    def batch(self, rows: Positions, *, indices: Positions, num_targets: int) -> TextBatch:
        """These texts side by side; a batch of nothing if there are none."""
        if not len(rows):
            return empty_text(num_targets)
        read = self.tokens if self.inputs is None else self.inputs
        wanted = self.tokens.rows(rows)
        return TextBatch(
            tokens=padded(read.rows(rows)),
            lengths=torch.from_numpy(read.lengths_of(rows)),
            written=padded(wanted, before=BOS),
            targets=padded(wanted, after=EOS),
            indices=torch.from_numpy(indices.copy()),
            num_targets=num_targets,
        )


def encode(
    texts: Iterable[str], tokeniser: Tokeniser, noise: Noise, *, longest: int | None
) -> Texts:
    """Texts as token numbers.

    Args:
        texts: which; blank ones are left out.
        tokeniser: what encodes them.
        noise: what happens to them on the way in.
        longest: tokens of a text at most; longer ones are left out. All are taken if not given.

    Raises:
        InputError: there is none.
    """
    every = [tokeniser.encode(text) for text in texts if text.strip()]
    kept = [ids for ids in every if longest is None or len(ids) <= longest]
    left_out = len(every) - len(kept)
    if not kept:
        why = f", all {left_out} being longer than {longest} tokens" if left_out else ""
        raise InputError(f"autoencoding needs at least one text, got none{why}")
    return replace(corpus_of(kept, tokeniser), noise=noise, left_out=left_out)


def corpus_of(rows: Iterable[Sequence[int]], tokeniser: Tokeniser) -> Texts:
    """Texts that are numbers already, none of them empty, without noise."""
    tokens = RaggedBuilder()
    for ids in rows:
        tokens.add(ids)
    return Texts(tokens.built(), Noise(), tokeniser.unk)


@dataclass(frozen=True, eq=False)
class Pictures(batches.Corpus[PictureBatch]):
    """Pictures in memory as bytes; each counts as one step, so a batch is so many pictures."""

    pixels: Pixels
    """(N, Y, X, 3)."""

    mixed = True

    def __len__(self) -> int:
        """How many pictures there are."""
        return len(self.pixels)

    @cached_property
    def steps(self) -> Positions:
        """All are of one size."""
        return np.ones(len(self), dtype=np.int64)

    @property
    def counts(self) -> Positions:
        """All are to come back."""
        return self.steps

    @cached_property
    def digest(self) -> str:
        """A short fingerprint of all pixels."""
        total = sha256(str(self.pixels.shape).encode())
        total.update(np.ascontiguousarray(self.pixels).data)
        return total.hexdigest()[:16]

    def batch(self, rows: Positions, *, indices: Positions, num_targets: int) -> PictureBatch:
        """These pictures side by side; a batch of nothing if there are none."""
        if not len(rows):
            _, height, width, _ = self.pixels.shape
            return empty_pictures(height, width, num_targets)
        pixels = torch.from_numpy(self.pixels[rows]).permute(0, 3, 1, 2)
        return PictureBatch(pixels, torch.from_numpy(indices.copy()), num_targets)
