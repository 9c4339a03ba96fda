"""Passages and questions as numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

import numpy as np
import torch

from regard.data import batches
from regard.data.annotated import LabelCodec
from regard.data.batches.pools import Numbers, Positions, Ragged, RaggedBuilder, padded
from regard.data.reading import Question
from regard.errors import InputError
from regard.models.reading import Passages
from regard.models.text import Spelling

from .batch import NO_PLACE, Batch, empty_batch
from .features import features
from .lexicon import Lexicon, Words
from .windows import WIDTH, CutText, best_window, cut_text, windows

TOGETHER = 4
"""Questions about one passage that are in one row at most: batches stay mixed."""


class Texts(NamedTuple):
    """Texts in numbers: those of the vocabulary, and those of the lexicon."""

    tokens: Ragged
    words: Ragged


@dataclass(frozen=True)
class Corpus(batches.Corpus[Batch]):
    """Encoded passages; a row is a passage, or a window of it, with some questions about it."""

    passages: Texts
    questions: Texts
    rows_passage: Positions
    """Which window each row has."""
    rows_questions: Ragged
    """Which questions are asked in each row."""
    rows_answers: Ragged
    """First and last words of the answers, question by question: how many, then the pairs."""
    lexicon: Lexicon
    starts: Positions
    """The first word of each window in its passage."""

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.rows_passage)

    @property
    def steps(self) -> Positions:
        """Words of the passage of every row."""
        return self.passages.tokens.lengths_of(self.rows_passage)

    @property
    def counts(self) -> Positions:
        """Questions of every row."""
        return self.rows_questions.lengths

    @property
    def digest(self) -> str:
        """A short fingerprint of all numbers."""
        total = sha256(self.rows_passage.tobytes())
        parts = (*self.passages, *self.questions, self.rows_questions, self.rows_answers)
        for ragged in (*parts, *([self.lexicon.spelled] if self.lexicon.spelled else [])):
            total.update(ragged.values.tobytes())
            total.update(ragged.offsets.tobytes())
        return total.hexdigest()[:16]

    def batch(self, rows: Positions, *, indices: Positions, num_targets: int) -> Batch:
        """These rows side by side; a batch of nothing if there are none."""
        if not len(rows):
            spelled = self.lexicon.spelled is not None
            return empty_batch(spelled=spelled, num_targets=num_targets)
        asked = self.rows_questions.rows(rows)
        about = np.repeat(np.arange(len(rows)), [len(one) for one in asked])
        numbers = np.concatenate(asked).astype(np.int64)
        begins, ends = self._answers(rows)
        return Batch(
            read=self._read(self.rows_passage[rows], numbers, about),
            begins=begins,
            ends=ends,
            questions=torch.from_numpy(numbers),
            indices=torch.from_numpy(indices.copy()),
            num_targets=num_targets,
        )

    def _read(self, passages: Positions, questions: Positions, about: Positions) -> Passages:
        words = padded(self.passages.words.rows(passages)).numpy()  # (P, N)
        asked = padded(self.questions.words.rows(questions)).numpy()  # (B, J)
        return Passages(
            padded(self.passages.tokens.rows(passages)),
            torch.from_numpy(self.passages.tokens.lengths_of(passages)),
            padded(self.questions.tokens.rows(questions)),
            torch.from_numpy(self.questions.tokens.lengths_of(questions)),
            torch.from_numpy(about),
            torch.from_numpy(features(words[about], asked, self.lexicon)),
            self._spelling(words),
            self._spelling(asked),
        )

    def _spelling(self, index: Positions) -> Spelling | None:
        """Every different word once; numbers grow with the lengths of words."""
        spelled = self.lexicon.spelled
        if spelled is None:
            return None
        chosen, where = np.unique(np.append(index.ravel(), 0), return_inverse=True)
        return Spelling(
            padded(spelled.rows(chosen)),
            torch.from_numpy(spelled.lengths_of(chosen)),
            torch.from_numpy(where[:-1].reshape(index.shape)),
        )

    def _answers(self, rows: Positions) -> tuple[torch.Tensor, torch.Tensor]:
        found = [one for row in self.rows_answers.rows(rows) for one in _split(row)]
        filled = np.full((2, len(found), max(1, *map(len, found))), NO_PLACE, dtype=np.int64)
        for number, pairs in enumerate(found):
            filled[:, number, : len(pairs)] = pairs.T
        return torch.from_numpy(filled[0]), torch.from_numpy(filled[1])


def _split(row: Numbers) -> Iterator[Numbers]:
    """The answers of each question of a row, as pairs."""
    at = 0
    while at < len(row):
        end = at + 1 + 2 * int(row[at])
        yield row[at + 1 : end].reshape(-1, 2)
        at = end


def encode(
    questions: Sequence[Question],
    codec: LabelCodec,
    *,
    width: int = WIDTH,
    learning: bool = True,
) -> Corpus:
    """``questions`` as numbers.

    Args:
        questions: with their passages.
        codec: what encodes them.
        width: words of a window at most; passages that are longer are read in several.
        learning: whether each question is asked of the window that has its answer, or of all.

    Raises:
        InputError: there is none.
    """
    if not questions:
        raise InputError("a corpus needs at least one question, got none")
    texts = {one.passage: cut_text(one.passage, codec) for one in questions}
    asked = [codec.pieces(one.question) for one in questions]
    words = Words(codec, (*(text.words for text in texts.values()), *asked))
    plan = _Plan(codec, words, width=width, learning=learning)
    for number, one in enumerate(questions):
        plan.add(number, one, texts[one.passage])
    return Corpus(
        plan.passages.built(),
        _texts(codec, words, asked),
        *plan.rows(),
        words.lexicon(),
        np.array(plan.starts, dtype=np.int64),
    )


class _Texts:
    """Texts as they are collected."""

    def __init__(self, codec: LabelCodec, words: Words) -> None:
        self.codec, self.words = codec, words
        self._tokens, self._words = RaggedBuilder(), RaggedBuilder()

    def add(self, pieces: Sequence[str]) -> None:
        """One text more."""
        self._tokens.add(self.codec.tokens.ids(pieces))
        self._words.add(self.words.of(pieces))

    def built(self) -> Texts:
        """All of them."""
        return Texts(self._tokens.built(), self._words.built())


def _texts(codec: LabelCodec, words: Words, asked: Sequence[Sequence[str]]) -> Texts:
    found = _Texts(codec, words)
    for pieces in asked:
        found.add(pieces)
    return found.built()


class _Plan:
    """Which question is asked of which window."""

    def __init__(self, codec: LabelCodec, words: Words, *, width: int, learning: bool) -> None:
        self.passages = _Texts(codec, words)
        self.starts: list[int] = []
        self.width, self.learning = width, learning
        self._windows: dict[tuple[str, int], int] = {}
        self._asked: list[list[tuple[int, list[tuple[int, int]]]]] = []

    def add(self, number: int, one: Question, text: CutText) -> None:
        """A question, of the window that has its answer, or of all windows."""
        known = self.learning or all(answer.start is not None for answer in one.answers)
        places = [text.words_of(answer) for answer in one.answers] if known else []
        length = len(text.words)
        chosen = windows(length, self.width)
        if self.learning and places:
            chosen = [best_window(*places[0], length, self.width)]
        for window in chosen:
            inside = [
                (first - window.start, last - window.start)
                for first, last in dict.fromkeys(places)
                if window.start <= first and last < window.stop
            ]
            self._asked[self._window(one.passage, text, window)].append((number, inside))

    def rows(self) -> tuple[Positions, Ragged, Ragged]:
        """Windows with some of the questions about them."""
        windows_of, questions, answers = [], RaggedBuilder(), RaggedBuilder()
        for window, asked in enumerate(self._asked):
            for first in range(0, len(asked), TOGETHER):
                some = asked[first : first + TOGETHER]
                windows_of.append(window)
                questions.add(number for number, _ in some)
                flat = [[len(pairs), *(end for pair in pairs for end in pair)] for _, pairs in some]
                answers.add(number for one in flat for number in one)
        return np.array(windows_of, dtype=np.int64), questions.built(), answers.built()

    def _window(self, passage: str, text: CutText, window: range) -> int:
        found = self._windows.setdefault((passage, window.start), len(self._windows))
        if found == len(self._asked):
            self.passages.add(text.words[window.start : window.stop])
            self.starts.append(window.start)
            self._asked.append([])
        return found
