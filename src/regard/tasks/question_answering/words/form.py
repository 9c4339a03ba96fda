"""Answers as words over stories: what the task asks of this form."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from regard.data.annotated import Example, LabelCodec
from regard.data.batches import Corpus
from regard.data.reading import Question, ReadingCodec
from regard.training.objective import Objective

from ...labelling.data import labels_of
from ...labelling.vocabulary import VocabularyConfig
from ..form import Form
from ..sample import Answered, Ranked, StoryLook
from .corpus import encode, story_of
from .inference import MAX_SENTENCES, Found, answers
from .objective import WordsObjective

RANKED = 5
"""Answers that are told."""


class WordsForm(Form):
    """Every different answer of the training data is one of a closed set."""

    def learn(self, read: Sequence[Question], vocabulary: VocabularyConfig) -> LabelCodec:
        """Words of stories and questions, and all answers."""
        told = [Example(one.question, (one.answers[0].text,), None, one.place) for one in read]
        stories = {sentence for one in read for sentence in story_of(one)}
        texts = [*told, *(Example(sentence, ()) for sentence in sorted(stories))]
        return ReadingCodec.of(vocabulary.learn(texts, labels_of(told)))

    def encode(
        self, questions: Iterable[Question], codec: LabelCodec, *, longest: int | None
    ) -> Corpus[Any]:
        """Sentences as numbers."""
        return encode(questions, codec, longest=longest)

    def objective(self, model: Any, task: Any) -> Objective[Any]:
        """Cross entropy, and guided hops."""
        return WordsObjective(model, guided=task.guided, linear_start=task.linear_start)

    def fits(self, one: Question, longest: int | None) -> bool:
        """Whether its story has few enough sentences."""
        return longest is None or len(story_of(one)) < longest

    def answered(
        self,
        model: Any,
        codec: LabelCodec,
        questions: Sequence[Question],
        *,
        max_tokens: int | None = None,
    ) -> list[Answered]:
        """The likeliest answer to each, from the last sentences where there are too many."""
        most = model.config.sentences
        stories = [story_of(one) for one in questions]
        kept = [
            one._replace(sentences=story[-most:], answers=())
            for one, story in zip(questions, stories, strict=True)
        ]
        found = answers(model, encode(kept, codec), max_tokens=max_tokens or MAX_SENTENCES)
        return [
            _sample(one, story, answer, codec)
            for one, story, answer in zip(questions, stories, found, strict=True)
        ]

    def nll(self, sample: Answered, one: Question, codec: LabelCodec) -> float | None:
        """Of the right answer; ``None`` where it was not learned."""
        known = dict(zip(codec.labels, sample.log_probs, strict=True))
        return -known[one.answers[0].text] if one.answers[0].text in known else None


def _sample(one: Question, story: tuple[str, ...], found: Found, codec: LabelCodec) -> Answered:
    log_probs = found.log_probs.numpy()
    best = np.argsort(-log_probs, kind="stable")[:RANKED]
    cut = len(story) - found.looks.shape[1]
    ids = codec.tokens.encode(one.question)
    words = codec.tokens.pieces(one.question)
    return Answered(
        question=one.question,
        passage=one.passage,
        answer=codec.labels[best[0]],
        ranked=tuple(
            Ranked(codec.labels[number], float(np.exp(log_probs[number]))) for number in best
        ),
        look=StoryLook(story[cut:], found.looks, cut),
        cut=cut,
        words=tuple(words),
        unknown=sum(number == codec.tokens.unk for number in ids),
        log_probs=tuple(log_probs.tolist()),
    )
