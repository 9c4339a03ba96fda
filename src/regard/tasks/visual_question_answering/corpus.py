"""Questions about pictures as numbers, and the batches that training gets."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

import numpy as np
import torch

from regard.data import batches
from regard.data.batches.pools import Positions, Ragged, RaggedBuilder, padded
from regard.errors import InputError
from regard.models.vision import Boxes
from regard.types import Int, Tensor

from ..captioning.data import AnyReading
from ..seeing.shelf import Shelf
from .codec import UNKNOWN_ANSWER, AnswerCodec
from .example import Corners, Pictured


class Batch(NamedTuple):
    """Some pictures side by side, with all questions about them."""

    pictures: Tensor
    """Pixels (P, 3, Y, X), or maps (P, C, y, x)."""
    boxes: Boxes
    """Of every picture; it may have none."""
    owners: Int[Tensor, " B"]
    """The picture of every question."""
    questions: Int[Tensor, "B T"]
    lengths: Int[Tensor, " B"]
    answers: Int[Tensor, " B"]
    """-1 for one that was not learned."""
    indices: Int[Tensor, " P"]
    """The number of each picture in its corpus."""
    num_targets: int
    """Questions of this step over all ranks, so that every rank can take the same mean."""

    def to(self, device: torch.device | str) -> "Batch":
        """The batch on another device."""
        return self._replace(**{name: getattr(self, name).to(device) for name in self._fields[:-1]})


def empty_batch(shape: tuple[int, ...], num_targets: int = 1) -> Batch:
    """One question without an answer, for a rank that no example is left for."""
    zero = torch.zeros(1, dtype=torch.long)
    return Batch(
        pictures=torch.zeros(1, *shape, dtype=torch.uint8),
        boxes=boxed([()]),
        owners=zero,
        questions=zero.unsqueeze(0),
        lengths=zero + 1,
        answers=zero + UNKNOWN_ANSWER,
        indices=zero - 1,
        num_targets=num_targets,
    )


def boxed(rows: Sequence[Sequence[Corners]]) -> Boxes:
    """The boxes of some pictures side by side; a picture without any has the whole of itself."""
    width = max(1, *map(len, rows))
    corners = torch.zeros(len(rows), width, 4)
    allowed = torch.zeros(len(rows), width, dtype=torch.bool)
    for number, row in enumerate(rows):
        found = row or ((0.0, 0.0, 1.0, 1.0),)
        corners[number, : len(found)] = torch.tensor(found)
        allowed[number, : len(found)] = True
    return Boxes(corners, allowed)


@dataclass(frozen=True)
class Corpus(batches.Corpus[Batch]):
    """Pictures, one a row, each with its questions."""

    mixed = True
    """A picture costs far more than a question, and batch norm wants all sorts of them."""
    questions: Ragged
    answers: Positions
    firsts: Positions
    """Where the questions of each picture begin, and where the last ones end."""
    shelf: Shelf
    boxes: tuple[tuple[Corners, ...], ...]
    left_out: int = 0
    """Questions whose answer was not learned, and so cannot be."""

    def __len__(self) -> int:
        """How many pictures there are."""
        return len(self.firsts) - 1

    @property
    def steps(self) -> Positions:
        """Questions about each picture."""
        return np.diff(self.firsts)

    @property
    def counts(self) -> Positions:
        """The same: all of them are answered."""
        return self.steps

    @property
    def digest(self) -> str:
        """A short fingerprint of words and pictures."""
        total = sha256(self.shelf.digest.encode())
        for numbers in (self.questions.values, self.questions.offsets, self.answers, self.firsts):
            total.update(numbers.tobytes())
        return total.hexdigest()[:16]

    def batch(self, rows: Positions, *, indices: Positions, num_targets: int) -> Batch:
        """These pictures with their questions; a batch of nothing if there are none."""
        if not len(rows):
            return empty_batch(self.shelf.shape, num_targets)
        asked = [np.arange(self.firsts[row], self.firsts[row + 1]) for row in rows.tolist()]
        numbers = np.concatenate(asked)
        owners = np.repeat(np.arange(len(rows)), [len(one) for one in asked])
        return Batch(
            pictures=self.shelf.rows(rows.tolist()),
            boxes=boxed([self.boxes[row] for row in rows.tolist()]),
            owners=torch.from_numpy(owners),
            questions=padded(self.questions.rows(numbers)),
            lengths=torch.from_numpy(self.questions.lengths_of(numbers)),
            answers=torch.from_numpy(self.answers[numbers]),
            indices=torch.from_numpy(indices.copy()),
            num_targets=num_targets,
        )


def encode(
    examples: Iterable[Pictured], *, codec: AnswerCodec, reading: AnyReading, all_kept: bool = False
) -> Corpus:
    """Pictures with their questions as numbers.

    Args:
        examples: pictures.
        codec: of words and answers.
        reading: of the pictures.
        all_kept: whether questions stay whose answer was not learned, to be counted as wrong.

    Raises:
        InputError: there is none.
    """
    questions, answers, firsts, kept, left_out = RaggedBuilder(), [], [0], [], 0
    for one in examples:
        numbers = [codec.number(asked.answer) for asked in one.questions]
        rows = [n for n, number in enumerate(numbers) if all_kept or number != UNKNOWN_ANSWER]
        left_out += len(numbers) - len(rows)
        if not rows:
            continue
        for row in rows:
            questions.add(codec.tokens.encode(one.questions[row].question) or [codec.tokens.unk])
            answers.append(numbers[row])
        firsts.append(len(answers))
        kept.append(one)
    if not kept:
        raise InputError("questions with known answers are needed to learn from, got none")
    return Corpus(
        questions.built(),
        np.array(answers, dtype=np.int64),
        np.array(firsts, dtype=np.int64),
        reading.shelf(one.image() for one in kept),
        tuple(one.boxes for one in kept),
        left_out,
    )
