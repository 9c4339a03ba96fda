"""Stories and their questions as numbers: every different sentence once."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
import torch

from regard.data import batches
from regard.data.annotated import LabelCodec
from regard.data.batches.pools import Positions, Ragged, RaggedBuilder, padded
from regard.data.reading import Question, sentences_of
from regard.errors import InputError
from regard.models.reading import Stories

from .batch import NO_SENTENCE, UNKNOWN, Batch, empty_batch


@dataclass(frozen=True)
class Corpus(batches.Corpus[Batch]):
    """Encoded stories."""

    sentences: Ragged
    """The words of every different sentence; the first has none."""
    index: Ragged
    """Which sentences each story has, and its question behind them."""
    answers: Positions
    supports: Ragged
    left_out: int = 0
    """Stories that were too long."""

    def __len__(self) -> int:
        """How many questions there are."""
        return len(self.index)

    @property
    def steps(self) -> Positions:
        """Sentences of every story, the question counted."""
        return self.index.lengths

    @property
    def counts(self) -> Positions:
        """Answers of every question that are known: one, or none."""
        return (self.answers != UNKNOWN).astype(np.int64)

    @property
    def digest(self) -> str:
        """A short fingerprint of all numbers."""
        total = sha256(self.answers.tobytes())
        for ragged in (self.sentences, self.index, self.supports):
            total.update(ragged.values.tobytes())
            total.update(ragged.offsets.tobytes())
        return total.hexdigest()[:16]

    def batch(self, rows: Positions, *, indices: Positions, num_targets: int) -> Batch:
        """These questions side by side; a batch of nothing if there are none."""
        if not len(rows):
            return empty_batch(num_targets=num_targets)
        index = padded(self.index.rows(rows)).numpy()  # (B, N)
        chosen, where = np.unique(np.append(index.ravel(), 0), return_inverse=True)
        sentences = Stories(
            padded(self.sentences.rows(chosen)),
            torch.from_numpy(self.sentences.lengths_of(chosen)),
            torch.from_numpy(where[:-1].reshape(index.shape)),
            torch.from_numpy(self.index.lengths_of(rows) - 1),
        )
        return Batch(
            stories=sentences,
            answers=torch.from_numpy(self.answers[rows]),
            supports=self._supports(rows),
            indices=torch.from_numpy(indices.copy()),
            num_targets=num_targets,
        )

    def _supports(self, rows: Positions) -> torch.Tensor:
        found = self.supports.rows(rows)
        filled = np.full((len(rows), max(1, *map(len, found))), NO_SENTENCE, dtype=np.int64)
        for number, row in enumerate(found):
            filled[number, : len(row)] = row
        return torch.from_numpy(filled)


def story_of(one: Question) -> tuple[str, ...]:
    """The sentences of a passage."""
    return one.sentences if one.sentences is not None else sentences_of(one.passage)


def encode(
    questions: Iterable[Question], codec: LabelCodec, *, longest: int | None = None
) -> Corpus:
    """``questions`` as numbers.

    Args:
        questions: with their stories.
        codec: what encodes them.
        longest: sentences of a story and its question at most; longer ones are left out.

    Raises:
        InputError: there is none.
    """
    sentences, index, supports = RaggedBuilder(), RaggedBuilder(), RaggedBuilder()
    sentences.add(array("i"))
    known: dict[str, int] = {}
    answers: list[int] = []
    left_out = 0
    for one in questions:
        story = story_of(one)
        if longest is not None and len(story) >= longest:
            left_out += 1
            continue
        for sentence in (*story, one.question):
            if sentence not in known:
                known[sentence] = len(known) + 1
                sentences.add(codec.tokens.encode(sentence))
        index.add(known[sentence] for sentence in (*story, one.question))
        supports.add(one.supports)
        answers.append(codec.number(one.answers[0].text) if one.answers else UNKNOWN)
    if not answers:
        why = f", all {left_out} being longer than {longest} sentences" if left_out else ""
        raise InputError(f"a corpus needs at least one question, got none{why}")
    return Corpus(
        sentences.built(), index.built(), np.array(answers, np.int64), supports.built(), left_out
    )
