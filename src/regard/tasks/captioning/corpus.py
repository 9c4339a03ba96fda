"""Captioned pictures as numbers, and the batches that training gets."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain, repeat
from typing import NamedTuple

import numpy as np
import torch

from regard.data import batches
from regard.data.batches.pools import Positions, Ragged, RaggedBuilder, padded
from regard.data.running import TextCodec
from regard.data.vocabulary.tokeniser import BOS, EOS, PAD
from regard.errors import InputError
from regard.types import Float, Int, Tensor

from ..seeing.reading import MapReading, PixelReading
from ..seeing.shelf import Shelf
from .example import Boxes, Captioned

NO_EXAMPLE = -1
"""The index of a row that stands for no example."""


class Batch(NamedTuple):
    """Some captions side by side, each with its picture."""

    pictures: Tensor
    """Pixels (B, 3, Y, X), or maps (B, C, y, x)."""
    target_in: Int[Tensor, "B T"]
    """Tokens behind ``bos``: what the captioner reads."""
    target_out: Int[Tensor, "B T"]
    """Tokens and ``eos``: what it is to predict, position by position."""
    nouns: Float[Tensor, "N 6"]
    """Row, place among the words, and left, top, right and bottom edge of each thing that a noun
    stands for, where that is known; edges are shares of the picture."""
    indices: Int[Tensor, " B"]
    """The number of each caption in its corpus; -1 for a row of nothing."""
    num_targets: int
    """Tokens of this step over all ranks, so that every rank can take the same mean."""

    def to(self, device: torch.device | str) -> "Batch":
        """The batch on another device."""
        return self._replace(**{name: getattr(self, name).to(device) for name in self._fields[:-1]})


def empty_batch(shape: tuple[int, ...], num_targets: int = 1) -> Batch:
    """One row without a token to predict, for a rank that no example is left for."""
    return Batch(
        pictures=torch.zeros(1, *shape, dtype=torch.uint8),
        target_in=torch.full((1, 1), BOS),
        target_out=torch.full((1, 1), PAD),
        nouns=torch.zeros(0, 6),
        indices=torch.full((1,), NO_EXAMPLE),
        num_targets=num_targets,
    )


@dataclass(frozen=True)
class Corpus(batches.Corpus[Batch]):
    """Captions, one a row; several may be of one picture."""

    captions: Ragged
    owners: Positions
    """The picture of every caption."""
    shelf: Shelf
    nouns: tuple[Mapping[int, Boxes], ...] = ()
    """Of every caption; none at all where nothing is known of any."""
    left_out: int = 0
    """Captions that were too long."""

    def __len__(self) -> int:
        """How many captions there are."""
        return len(self.captions)

    @property
    def mixed(self) -> bool:  # type: ignore[override]
        """Pixels cost far more than words, and batch norm wants all sorts of them."""
        return self.shelf.parts[0].dtype == torch.uint8

    @property
    def steps(self) -> Positions:
        """Tokens of every caption, ``eos`` included."""
        return self.captions.lengths + 1

    @property
    def counts(self) -> Positions:
        """The same: all of them are predicted."""
        return self.steps

    @property
    def digest(self) -> str:
        """A short fingerprint of words and pictures."""
        total = sha256(self.shelf.digest.encode())
        for numbers in (self.captions.values, self.captions.offsets, self.owners):
            total.update(numbers.tobytes())
        return total.hexdigest()[:16]

    def batch(self, rows: Positions, *, indices: Positions, num_targets: int) -> Batch:
        """These captions side by side; a batch of nothing if there are none."""
        if not len(rows):
            return empty_batch(self.shelf.shape, num_targets)
        targets = self.captions.rows(rows)
        return Batch(
            pictures=self.shelf.rows(self.owners[rows].tolist()),
            target_in=padded(targets, before=BOS),
            target_out=padded(targets, after=EOS),
            nouns=self._nouns(rows),
            indices=torch.from_numpy(indices.copy()),
            num_targets=num_targets,
        )

    def _nouns(self, rows: Positions) -> Float[Tensor, "N 6"]:
        if not self.nouns:
            return torch.zeros(0, 6)
        found = [
            (float(number), float(place), *box)
            for number, row in enumerate(rows.tolist())
            for place, boxes in self.nouns[row].items()
            for box in boxes
        ]
        return torch.tensor(found).reshape(len(found), 6)


def encode(
    examples: Iterable[Captioned],
    *,
    codec: TextCodec,
    reading: PixelReading | MapReading,
    longest: int | None = None,
) -> Corpus:
    """Pictures and captions as numbers.

    Args:
        examples: captioned pictures.
        codec: of the words.
        reading: of the pictures.
        longest: tokens of a caption at most, its end included; longer ones are left out.

    Raises:
        InputError: there is none.
    """
    some = list(examples)
    captions, owners, nouns, left_out = RaggedBuilder(), [], [], 0
    for number, one in enumerate(some):
        for text, pointed in zip(one.captions, chain(one.nouns, repeat({})), strict=False):
            ids = codec.tokens.encode(text)
            if longest is not None and len(ids) >= longest:
                left_out += 1
                continue
            captions.add(ids)
            owners.append(number)
            nouns.append(pointed)
    if not owners:
        why = f", all {left_out} being longer than {longest} tokens" if left_out else ""
        raise InputError(f"captions are needed to learn from, got none{why}")
    shelf = reading.shelf(one.image() for one in some)
    known = tuple(nouns) if any(nouns) else ()
    return Corpus(captions.built(), np.array(owners, dtype=np.int64), shelf, known, left_out)
