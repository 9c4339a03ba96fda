"""How good an answerer is by now, on pictures it has not learned from."""

import json
from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple

from torch import nn

from regard.measures import points_at
from regard.models.vision import Answerer
from regard.training.task import Comparison, Validation

from ..captioning.data import AnyReading
from ..seeing.reading import PixelReading, reading_of
from .codec import UNKNOWN_ANSWER, AnswerCodec
from .corpus import Corpus, encode
from .example import Asked, Pictured
from .inference import Answer, answers
from .predictor import PictureAnswerer, Question

SAMPLES = 2


class Scored(NamedTuple):
    """What is right about one answer."""

    answer: str
    right: bool
    pointed: bool | None
    """Whether the last look was largest on what is asked about; ``None`` where that is not known.
    """


def scored(asked: Asked, answer: Answer, model: Answerer, codec: AnswerCodec) -> Scored:
    """What is right about an answer; where a model looked counts on a grid alone."""
    best = codec.answers[int(answer.log_probs.argmax())]
    pointed = None
    if asked.about and answer.hops is not None and model.config.regions == "grid":
        pointed = points_at(answer.hops[-1].view(model.extent), asked.about)
    return Scored(best, best == asked.answer, pointed)


class AnswerValidator:
    """Measures an answerer on pictures held out.

    A question whose answer was not learned counts as wrong.

    Args:
        held_out: pictures with their questions.
        codec: of words and answers.
        reading: of the pictures.
    """

    left_out = 0

    def __init__(
        self, held_out: Sequence[Pictured], codec: AnswerCodec, reading: AnyReading
    ) -> None:
        self.held_out, self.codec, self.reading = list(held_out), codec, reading

    @property
    def identity(self) -> str:
        """A short fingerprint of what is measured on."""
        text = json.dumps([[one.name, [q[:2] for q in one.questions]] for one in self.held_out])
        return sha256(text.encode()).hexdigest()[:16]

    @property
    def size(self) -> int:
        """How many questions."""
        return sum(len(one.questions) for one in self.held_out)

    def validate(self, model: nn.Module) -> Validation:
        """All scores of a model, which is left as it was."""
        assert isinstance(model, Answerer)
        found = answers(model, self.corpus)
        rows = [
            scored(asked, answer, model, self.codec)
            for asked, answer in zip(self.asked, found, strict=True)
        ]
        pointed = [one.pointed for one in rows if one.pointed is not None]
        losses = [
            -float(answer.log_probs[number])
            for answer, number in zip(found, self.corpus.answers.tolist(), strict=True)
            if number != UNKNOWN_ANSWER
        ]
        scores = {
            "accuracy": sum(one.right for one in rows) / len(rows),
            "pointing": sum(pointed) / len(pointed) if pointed else None,
            "loss": sum(losses) / len(losses) if losses else None,
        }
        shown = [
            Question(one.questions[0].question, one.image(), one.boxes)
            for one in self.held_out[:SAMPLES]
        ]
        predictor = PictureAnswerer(model, self.codec)
        return Validation(scores, tuple(predictor.predict(shown, looks=True)))

    @property
    def asked(self) -> list[Asked]:
        """All questions, in the order of the corpus."""
        return [asked for one in self.held_out for asked in one.questions]

    @cached_property
    def corpus(self) -> Corpus:
        """All questions as numbers."""
        return encode(self.held_out, codec=self.codec, reading=self.reading, all_kept=True)


def compared(before: Any, after: Any, held_out: Sequence[Pictured]) -> Comparison:
    """Two predictors on the same questions."""
    asked = [
        Question(one.question, picture.image(), picture.boxes)
        for picture in held_out
        for one in picture.questions
    ]
    gold = [one.answer for picture in held_out for one in picture.questions]
    first, second = ([one.answer for one in each.predict(asked)] for each in (before, after))
    return Comparison(
        examples=len(gold),
        changed=sum(left != right for left, right in zip(first, second, strict=True)),
        measure="accuracy",
        before=100 * sum(a == b for a, b in zip(first, gold, strict=True)) / len(gold),
        after=100 * sum(a == b for a, b in zip(second, gold, strict=True)) / len(gold),
    )


def reading_for(model: Answerer) -> AnyReading:
    """How a model reads pictures."""
    return reading_of(model.config.grid, PixelReading())
