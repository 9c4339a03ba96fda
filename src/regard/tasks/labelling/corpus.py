"""Annotated texts as numbers, in compact arrays."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain

import numpy as np
import torch

from regard.data import batches
from regard.data.annotated import Example, LabelCodec
from regard.data.annotated.codec import UNKNOWN_LABEL
from regard.data.batches.pools import Positions, Ragged, RaggedBuilder, padded
from regard.errors import InputError
from regard.models.text import Spelling

from .batch import Batch, empty_batch


@dataclass(frozen=True)
class Corpus(batches.Corpus[Batch]):
    """Encoded texts."""

    tokens: Ragged
    labels: Ragged
    per_word: bool
    """Whether every word has a label, or every text."""
    types: Ragged | None = None
    """Which spelled word stands where; ``None`` where words are not spelled."""
    spelled: Ragged | None = None
    """The characters of every different word, from short to long; the first has none."""
    left_out: int = 0
    """Texts that were too long."""
    also: tuple[Ragged, ...] = ()
    """Labels of other kinds, kind by kind, that are learned beside those that are told."""

    def __len__(self) -> int:
        """How many texts there are."""
        return len(self.tokens)

    @property
    def steps(self) -> Positions:
        """Tokens of every text."""
        return np.maximum(self.tokens.lengths, 1)

    @property
    def counts(self) -> Positions:
        """Labels of every text, those that are known."""
        known = np.concatenate([[0], np.cumsum(self.labels.values != UNKNOWN_LABEL)])
        return np.diff(known[self.labels.offsets])

    @property
    def digest(self) -> str:
        """A short fingerprint of all numbers."""
        total = sha256()
        for ragged in (self.tokens, self.labels, self.types, self.spelled, *self.also):
            if ragged is not None:
                total.update(ragged.values.tobytes())
                total.update(ragged.offsets.tobytes())
        return total.hexdigest()[:16]

    def batch(self, rows: Positions, *, indices: Positions, num_targets: int) -> Batch:
        """These texts side by side; a batch of nothing if there are none."""
        spelled = self.types is not None
        if not len(rows):
            return empty_batch(
                per_word=self.per_word,
                spelled=spelled,
                num_targets=num_targets,
                also=len(self.also),
            )
        tokens = padded(self.tokens.rows(rows))
        return Batch(
            tokens=tokens,
            lengths=torch.from_numpy(self.tokens.lengths_of(rows)),
            spelling=self._spelling(rows, tokens.shape[1]) if spelled else None,
            targets=self._targets(self.labels, rows, tokens.shape[1]),
            indices=torch.from_numpy(indices.copy()),
            num_targets=num_targets,
            also=tuple(self._targets(labels, rows, tokens.shape[1]) for labels in self.also),
        )

    def _targets(self, labels: Ragged, rows: Positions, width: int) -> torch.Tensor:
        found = labels.rows(rows)
        if not self.per_word:
            return torch.from_numpy(np.concatenate(found).astype(np.int64))
        filled = np.full((len(rows), width), UNKNOWN_LABEL, dtype=np.int64)
        for number, row in enumerate(found):
            filled[number, : len(row)] = row
        return torch.from_numpy(filled)

    def _spelling(self, rows: Positions, width: int) -> Spelling:
        """Every different word of these rows once; numbers grow with the lengths of words."""
        assert self.types is not None and self.spelled is not None
        index = np.zeros((len(rows), width), dtype=np.int64)
        for number, row in enumerate(self.types.rows(rows)):
            index[number, : len(row)] = row
        chosen, where = np.unique(np.append(index.ravel(), 0), return_inverse=True)
        return Spelling(
            padded(self.spelled.rows(chosen)),
            torch.from_numpy(self.spelled.lengths_of(chosen)),
            torch.from_numpy(where[:-1].reshape(index.shape)),
        )


def encode(
    examples: Iterable[Example],
    codec: LabelCodec,
    *,
    per_word: bool,
    longest: int | None = None,
    also: Sequence[tuple[str, ...]] = (),
) -> Corpus:
    """``examples`` as numbers.

    Args:
        examples: annotated texts.
        codec: what encodes them.
        per_word: whether every word has a label, or every text.
        longest: tokens of a text at most; longer ones are left out. All are taken if not given.
        also: labels of what else is learned, kind by kind.

    Raises:
        InputError: there is none.
    """
    tokens, labels, kept = RaggedBuilder(), RaggedBuilder(), []
    others = [(RaggedBuilder(), {label: n for n, label in enumerate(kind)}) for kind in also]
    left_out = 0
    for example in examples:
        pieces = codec.pieces(example.content)
        if longest is not None and len(pieces) > longest:
            left_out += 1
            continue
        tokens.add(codec.tokens.ids(pieces))
        labels.add(codec.number(label) for label in example.labels)
        for (builder, numbers), found in zip(others, example.also if others else (), strict=True):
            builder.add(numbers[label] for label in found)
        if codec.characters is not None:
            kept.append(pieces)
    built = tokens.built()
    if not len(built):
        why = f", all {left_out} being longer than {longest} tokens" if left_out else ""
        raise InputError(f"a corpus needs at least one text, got none{why}")
    words, characters = (None, None) if codec.characters is None else _spelled(kept, codec)
    return Corpus(
        built,
        labels.built(),
        per_word,
        words,
        characters,
        left_out,
        tuple(builder.built() for builder, _ in others),
    )


def _spelled(sentences: list[list[str]], codec: LabelCodec) -> tuple[Ragged, Ragged]:
    """Which word stands where, and the characters of each, from short to long.

    Words of one length stand as they came, the same in every process.
    """
    words = dict.fromkeys(chain.from_iterable(sentences))
    spelled = sorted(((codec.spelled(word), word) for word in words), key=lambda one: len(one[0]))
    characters, types = RaggedBuilder(), RaggedBuilder()
    characters.add(array("i"))
    for row, _ in spelled:
        characters.add(row)
    numbers = {word: number for number, (_, word) in enumerate(spelled, start=1)}
    for sentence in sentences:
        types.add(numbers[word] for word in sentence)
    return types.built(), characters.built()
