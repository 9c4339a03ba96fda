"""Running text as token numbers, some of them hidden."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256

import numpy as np
import torch
from numpy.typing import NDArray

from regard.data.batches.pools import Pool, Positions, Ragged, RaggedBuilder, padded
from regard.data.running.pools import DrawnCorpus
from regard.data.vocabulary import Tokeniser
from regard.errors import InputError

from .batch import Batch, empty_batch
from .masking import Hidden, Masking, hidden


@dataclass(frozen=True)
class Texts(DrawnCorpus[Batch]):
    """Encoded texts, and which of their tokens are hidden in one epoch."""

    tokens: Ragged
    words: NDArray[np.bool_]
    """For every token, whether a word begins with it."""
    tokeniser: Tokeniser
    masking: Masking
    epoch: int = 0
    numbers: Positions | None = None
    """What the texts are called, where that is not their order."""

    def __len__(self) -> int:
        """How many texts there are."""
        return len(self.tokens)

    @property
    def steps(self) -> Positions:
        """Tokens of every text, with those around it."""
        return self.tokens.lengths + 1 + (self._end is not None)

    @cached_property
    def counts(self) -> Positions:
        """Hidden tokens of every text."""
        total = np.concatenate([[0], np.cumsum(self.hidden.places)])
        return np.diff(total[self.tokens.offsets])

    @property
    def digest(self) -> str:
        """A short fingerprint of all numbers and of how they are hidden."""
        total = sha256(repr(self.masking).encode())
        for part in (self.tokens.values, self.tokens.offsets, self.words):
            total.update(part.tobytes())
        return total.hexdigest()[:16]

    @cached_property
    def hidden(self) -> Hidden:
        """The texts with some tokens hidden."""
        numbers = np.arange(len(self)) if self.numbers is None else self.numbers
        return hidden(
            self.tokens,
            self.words,
            numbers=numbers,
            epoch=self.epoch,
            mask=self.tokeniser.mask,
            real=self._real,
            masking=self.masking,
        )

    @cached_property
    def _real(self) -> Positions:
        """Tokens that are text."""
        special = list(self.tokeniser.specials)
        return np.setdiff1d(np.arange(len(self.tokeniser)), special)

    @property
    def _end(self) -> int | None:
        """What stands behind a text, if anything does."""
        closing = self.tokeniser.closing
        return closing[-1] if closing else None

    def drawn(self, pool: Pool[Batch], epoch: int) -> Pool[Batch]:
        """The texts of a pool as they are hidden in an epoch.

        Dynamic masking: Liu et al. 2019, section 4.1 (https://arxiv.org/abs/1907.11692).
        """
        parts = RaggedBuilder()
        for row in self.tokens.rows(pool.rows):
            parts.add(row)
        begins = Ragged(self.words, self.tokens.offsets).rows(pool.rows)
        words = np.concatenate([np.zeros(0, dtype=np.bool_), *begins])
        texts = replace(self, tokens=parts.built(), words=words, numbers=pool.indices, epoch=epoch)
        return Pool(texts, np.arange(len(texts)), pool.indices)

    def batch(self, rows: Positions, *, indices: Positions, num_targets: int) -> Batch:
        """These texts side by side; a batch of nothing if there are none."""
        if not len(rows):
            return empty_batch(num_targets, self.tokeniser.bos)
        offsets = self.tokens.offsets
        tokens = padded(
            Ragged(self.hidden.inputs, offsets).rows(rows),
            before=self.tokeniser.bos,
            after=self._end,
        )
        asked = Ragged(self.hidden.places, offsets).rows(rows)
        places = torch.zeros(tokens.shape, dtype=torch.bool)
        for number, row in enumerate(asked):
            places[number, 1 : 1 + len(row)] = torch.from_numpy(row)
        targets = np.concatenate(self.tokens.rows(rows))[np.concatenate(asked)]
        return Batch(
            tokens=tokens,
            lengths=torch.from_numpy(self.steps[rows]),
            places=places,
            targets=torch.from_numpy(targets.astype(np.int64)),
            indices=torch.from_numpy(indices.copy()),
            num_targets=num_targets,
        )


def encode(
    paragraphs: Iterable[str],
    tokeniser: Tokeniser,
    masking: Masking,
    *,
    longest: int,
    stretches: int | None = None,
) -> Texts:
    """Paragraphs as token numbers; long ones are cut.

    Args:
        paragraphs: running text.
        tokeniser: what encodes it.
        masking: how tokens are hidden.
        longest: tokens of a text at most.
        stretches: texts of a paragraph at most; without it nothing is left out.

    Raises:
        InputError: there is none.
    """
    tokens, words = RaggedBuilder(), RaggedBuilder()
    for paragraph in paragraphs:
        pieces = tokeniser.pieces(paragraph)
        ids, word = tokeniser.ids(pieces), tokeniser.word_of(pieces)
        begins = [here != before for here, before in zip(word, [-1, *word], strict=False)]
        for start in range(0, len(ids), longest)[:stretches]:
            tokens.add(ids[start : start + longest])
            words.add(begins[start : start + longest])
    built = tokens.built()
    if not len(built):
        raise InputError("a corpus needs at least one paragraph, got none")
    return Texts(built, words.built().values.astype(np.bool_), tokeniser, masking)
