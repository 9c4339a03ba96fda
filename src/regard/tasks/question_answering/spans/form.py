"""Answers as spans of passages: what the task asks of this form."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import torch

from regard.data.annotated import Example, LabelCodec
from regard.data.batches import Corpus
from regard.data.reading import Question, ReadingCodec, located
from regard.training.objective import Objective

from ...labelling.vocabulary import VocabularyConfig
from ..form import Form
from ..sample import Answered, PassageLook, Ranked
from .corpus import encode
from .inference import MAX_TOKENS, Window, answers
from .objective import SpansObjective
from .windows import WIDTH, CutText, cut_text

RANKED = 5
"""Answers that are told."""


class SpansForm(Form):
    """An answer is a stretch of its passage."""

    def learn(self, read: Sequence[Question], vocabulary: VocabularyConfig) -> LabelCodec:
        """Words of passages and questions."""
        for one in read:
            located(one)
        passages = dict.fromkeys(one.passage for one in read)
        texts = [
            *(Example(text, ()) for text in passages),
            *(Example(one.question, ()) for one in read),
        ]
        return ReadingCodec.of(vocabulary.learn(texts, ()))

    def encode(
        self, questions: Iterable[Question], codec: LabelCodec, *, longest: int | None
    ) -> Corpus[Any]:
        """Words as numbers; of long passages the window around the answer."""
        return encode(
            [located(one) for one in questions], codec, width=min(longest or WIDTH, WIDTH)
        )

    def objective(self, model: Any, task: Any) -> Objective[Any]:
        """Cross entropy of both ends."""
        return SpansObjective(model, smoothing=task.label_smoothing)

    def fits(self, one: Question, longest: int | None) -> bool:
        """Every passage does: long ones are read in windows."""
        return True

    def answered(
        self,
        model: Any,
        codec: LabelCodec,
        questions: Sequence[Question],
        *,
        max_tokens: int | None = None,
    ) -> list[Answered]:
        """The likeliest span for each, over all windows of its passage."""
        width = min(model.config.longest or WIDTH, WIDTH)
        corpus = encode(questions, codec, width=width, learning=False)
        found = answers(model, corpus, len(questions), max_tokens=max_tokens or MAX_TOKENS)
        texts = {one.passage: cut_text(one.passage, codec) for one in questions}
        return [
            _sample(one, texts[one.passage], windows, codec)
            for one, windows in zip(questions, found, strict=True)
        ]

    def nll(self, sample: Answered, one: Question, codec: LabelCodec) -> float | None:
        """Of the right span, in the window that has most around it."""
        return -sample.log_probs[0] if sample.log_probs else None


def _sample(one: Question, text: CutText, windows: Sequence[Window], codec: LabelCodec) -> Answered:
    total = float(torch.tensor([window.total for window in windows]).logsumexp(dim=0))
    spans = {(first, last): score for window in windows for first, last, score in window.spans}
    best = sorted(spans.items(), key=lambda item: -item[1])[:RANKED]
    ranked = [
        (text.spans[first][0], text.spans[last][1], math.exp(score - total))
        for (first, last), score in best
    ]
    (first, last), _ = best[0]
    asked = codec.pieces(one.question)
    known = [window.nll for window in windows if window.nll is not None]
    return Answered(
        question=one.question,
        passage=one.passage,
        answer=one.passage[ranked[0][0] : ranked[0][1]],
        ranked=tuple(Ranked(one.passage[start:end], share) for start, end, share in ranked),
        look=_look(text, windows, tuple(asked), (first, last)),
        span=(ranked[0][0], ranked[0][1]),
        words=tuple(asked),
        unknown=sum(number == codec.tokens.unk for number in codec.tokens.ids(asked)),
        log_probs=(-min(known),) if known else (),
    )


def _look(
    text: CutText, windows: Sequence[Window], asked: tuple[str, ...], answer: tuple[int, int]
) -> PassageLook:
    """Windows side by side; where they overlap, the mean of both."""
    weights = torch.zeros(len(asked), len(text.words))
    times = torch.zeros(len(text.words))
    for window in windows:
        end = window.start + window.looks.shape[1]
        weights[:, window.start : end] += window.looks
        times[window.start : end] += 1
    weights = weights / times / max(1, len(windows))
    # Means over windows are no distributions where these overlap; they are made ones.
    weights = weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-9)
    return PassageLook(text.words, asked, weights, weights.mean(dim=0), text.spans, answer)
