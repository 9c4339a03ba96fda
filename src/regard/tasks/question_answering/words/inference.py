"""Readers of stories over many questions: batches of similar length, answers in their order."""

from typing import Any, NamedTuple

import torch

from regard.data.batches import BatchConfig, Batches, FinitePools
from regard.decoding.protocol import device_of, inference
from regard.types import Float, Tensor

from .corpus import Corpus

MAX_SENTENCES = 4096
"""Padded sentences of a batch where nothing is learned."""


class Found(NamedTuple):
    """What a model says to one question."""

    log_probs: Float[Tensor, " V"]
    """Of every answer."""
    looks: Float[Tensor, "H N"]
    """Where each hop looked."""


def answers(model: Any, corpus: Corpus, *, max_tokens: int = MAX_SENTENCES) -> list[Found]:
    """An answer to every question of a corpus, in their order.

    Args:
        model: a reader of stories, which is left as it was.
        corpus: the questions.
        max_tokens: padded sentences of a batch.
    """
    found: dict[int, Found] = {}
    config, device = BatchConfig(max_tokens=max_tokens, order="by_length"), device_of(model)
    for batch in Batches(FinitePools(corpus), config):
        placed = batch.to(device)
        with inference(model):
            logits, looks = model(placed.stories)
            log_probs = torch.log_softmax(logits.float(), dim=-1).cpu()
        seen = looks.float().cpu()
        for row, (number, length) in enumerate(
            zip(batch.indices.tolist(), batch.stories.lengths.tolist(), strict=True)
        ):
            found[number] = Found(log_probs[row], seen[row, :, :length])
    return [found[number] for number in range(len(corpus))]
