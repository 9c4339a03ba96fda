"""Between questions with their answers and numbers."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pydantic import Field

from regard.config import Config
from regard.data.running.codec import TOKENS
from regard.data.vocabulary import Tokeniser
from regard.data.vocabulary.catalogue import from_bytes
from regard.data.vocabulary.plain_words import PlainWordsLearner
from regard.errors import InputError
from regard.json_text import parsed

from .example import Asked

ANSWERS = "answers.json"
UNKNOWN_ANSWER = -1
"""The number of an answer that was not learned."""


@dataclass(frozen=True)
class AnswerCodec:
    """The words of questions, and which answers there are."""

    tokens: Tokeniser
    answers: tuple[str, ...]
    """In the order of their numbers."""

    def sizes(self) -> dict[str, int]:
        """What a model's config needs to know."""
        return {"vocab": len(self.tokens), "answers": len(self.answers)}

    def files(self) -> dict[str, bytes]:
        """What a checkpoint keeps."""
        listed = json.dumps(list(self.answers), ensure_ascii=False) + "\n"
        return {TOKENS: self.tokens.to_bytes(), ANSWERS: listed.encode()}

    def number(self, answer: str) -> int:
        """The number of an answer."""
        return self._numbers.get(answer, UNKNOWN_ANSWER)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {answer: number for number, answer in enumerate(self.answers)}


def codec_from(files: Mapping[str, bytes], folder: Path) -> AnswerCodec:
    """What :meth:`AnswerCodec.files` gave.

    Raises:
        InputError: a file is missing or damaged.
    """
    for name in (TOKENS, ANSWERS):
        if name not in files:
            raise InputError(f"{folder / name}: needs to be there, and is not")
    try:
        answers = parsed(files[ANSWERS])
    except ValueError:
        answers = None
    if not isinstance(answers, list) or not all(isinstance(one, str) for one in answers):
        raise InputError(f"{folder / ANSWERS}: needs a list of answers")
    return AnswerCodec(from_bytes(files[TOKENS], folder / TOKENS), tuple(answers))


class VocabularyConfig(Config):
    """Which words and answers are learned."""

    size: int = Field(default=10_000, ge=8)
    """Number of words of questions at most."""
    min_count: int = Field(default=1, ge=1)
    """How often a word must come to be learned."""
    answers: int = Field(default=3000, ge=2)
    """Number of answers at most, the commonest."""
    min_answers: int = Field(default=1, ge=1)
    """How often an answer must come to be learned; questions with another are left out."""

    def learn(self, asked: Iterable[Asked]) -> AnswerCodec:
        """The codec of some questions.

        Raises:
            InputError: there are fewer than two answers.
        """
        read = list(asked)
        words = PlainWordsLearner(size=self.size, min_count=self.min_count)
        counts = Counter(one.answer for one in read)
        ranked = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
        kept = [answer for answer, count in ranked if count >= self.min_answers][: self.answers]
        if len(kept) < 2:
            raise InputError(f"questions need two different answers to be learned, got {kept}")
        return AnswerCodec(words.learn(one.question for one in read), tuple(sorted(kept)))
