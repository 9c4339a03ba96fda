"""An answerer over many questions: answers in their order."""

from collections.abc import Iterator
from typing import NamedTuple

import torch

from regard.data.batches import BatchConfig, Batches, FinitePools
from regard.decoding.protocol import device_of, inference
from regard.models.vision import Answered, Answerer
from regard.types import Float, Tensor

from .corpus import Batch, Corpus

PICTURES, QUESTIONS = 64, 2048


class Answer(NamedTuple):
    """What a model says of one question."""

    log_probs: Float[Tensor, " O"]
    """Of every answer."""
    hops: Float[Tensor, "L K"] | None
    """How much each region counted, look after look."""
    words: Float[Tensor, "T K"] | None
    """How much each word looked at each region."""


def answers(model: Answerer, corpus: Corpus) -> list[Answer]:
    """An answer to every question of a corpus, in their order."""
    config = BatchConfig(max_tokens=QUESTIONS, max_rows=PICTURES, order="by_length")
    found: list[Answer] = []
    device = device_of(model)
    for batch in Batches(FinitePools(corpus), config):  # a mixed corpus keeps its order
        found.extend(_of(model, batch.to(device)))
    return found


def _of(model: Answerer, batch: Batch) -> Iterator[Answer]:
    boxes = batch.boxes if model.config.regions == "boxes" else None
    with inference(model):
        said: Answered = model.answer(
            batch.pictures, batch.questions, batch.lengths, boxes, batch.owners
        )
        log_probs = torch.log_softmax(said.logits.float(), dim=-1).cpu()
        hops, words = (None if one is None else one.float().cpu() for one in said[1:])
    for row, length in enumerate(batch.lengths.tolist()):
        yield Answer(
            log_probs[row],
            None if hops is None else hops[row],
            None if words is None else words[row, :length],
        )
