"""Readers of passages over many questions: the best spans of all windows, in their order."""

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any, NamedTuple

import torch

from regard.data.batches import BatchConfig, Batches, FinitePools
from regard.decoding.protocol import device_of, inference
from regard.lens.capture import attention_modules, capture
from regard.models.reading import best_spans
from regard.types import Float, Tensor

from .batch import Batch
from .corpus import Corpus
from .looks import question_on_passage

MAX_TOKENS = 6144
"""Padded words of passages of a batch where nothing is learned."""
RANKED = 5
"""Spans of a window that are told."""
SEEN = "matching"
"""What attention modules are called that a question and a passage meet in."""


class Window(NamedTuple):
    """What a model says of one question to one window of a passage."""

    start: int
    """The first word of the window in its passage."""
    spans: tuple[tuple[int, int, float], ...]
    """First word, last word, score, the best first; words are numbered in the passage."""
    total: float
    """The logarithm of the sum of what all spans score."""
    nll: float | None
    """Of the right answer, if it is in the window."""
    looks: Float[Tensor, "J N"]
    """Where each word of the question looked in the window."""


def answers(
    model: Any, corpus: Corpus, questions: int, *, max_tokens: int = MAX_TOKENS
) -> list[list[Window]]:
    """The windows of every question, in the order of the passage.

    Args:
        model: a reader of passages, which is left as it was.
        corpus: the questions, asked of all windows.
        questions: how many there are.
        max_tokens: padded words of passages of a batch.
    """
    found: list[list[Window]] = [[] for _ in range(questions)]
    config, device = BatchConfig(max_tokens=max_tokens, order="by_length"), device_of(model)
    for batch in Batches(FinitePools(corpus), config):
        starts = corpus.starts[corpus.rows_passage[batch.indices.numpy()]]
        windows = _windows(model, batch.to(device), starts[batch.read.about.numpy()].tolist())
        for number, window in zip(batch.questions.tolist(), windows, strict=True):
            found[number].append(window)
    return [sorted(windows, key=lambda one: one.start) for windows in found]


def _windows(model: Any, batch: Batch, starts: list[int]) -> Iterator[Window]:
    from .objective import span_log_probs

    names = [name for name in attention_modules(model) if name.startswith(SEEN)]
    read = batch.read
    with inference(model), capture(model, names) if names else nullcontext() as record:
        ends = model(read)
        spans = best_spans(ends, longest=model.config.longest_answer, count=RANKED)
        begin, end = (one.log_softmax(dim=-1) for one in ends)
        nll = -span_log_probs(begin, end, batch.begins, batch.ends)
        total = ends.begin.logsumexp(dim=-1) + ends.end.logsumexp(dim=-1)
        looks = question_on_passage(record, read) if record is not None else None
    lengths, asked = read.lengths.tolist(), read.question_lengths.tolist()
    for row, start in enumerate(starts):
        known = bool(batch.begins[row, 0] >= 0)
        rows = zip(*(part[row].tolist() for part in spans), strict=True)
        yield Window(
            start,
            tuple((int(b) + start, int(e) + start, float(s)) for b, e, s in rows if s > -torch.inf),
            float(total[row]),
            float(nll[row]) if known else None,
            torch.zeros(asked[row], lengths[row])
            if looks is None
            else looks[row, : asked[row], : lengths[row]].float().cpu(),
        )
