"""Models over many texts: batches of similar length, answers in their order."""

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any, NamedTuple

import torch

from regard.data.batches import BatchConfig, Batches, FinitePools
from regard.decoding.protocol import device_of, inference
from regard.types import Float, Tensor

from .batch import Batch
from .corpus import Corpus

MAX_TOKENS = 8192
"""Padded tokens of a batch where nothing is learned."""


class Answer(NamedTuple):
    """What a model says of one text."""

    log_probs: Float[Tensor, "*N V"]
    """Of every label, for each word or for the text."""
    pooled: Float[Tensor, " N"] | None = None
    """How much each token counted, where features are pooled by attention."""
    looks: Float[Tensor, "N N"] | None = None
    """How much each token looked at each, in the last layer that looks, over all its heads."""


def answers(
    model: Any, corpus: Corpus, *, looks: bool = False, max_tokens: int = MAX_TOKENS
) -> list[Answer]:
    """An answer to every text of a corpus, in their order.

    Args:
        model: a tagger or a classifier, which is left as it was.
        corpus: the texts.
        looks: whether to tell where it looked, too.
        max_tokens: padded tokens of a batch.
    """
    found: dict[int, Answer] = {}
    config, device = BatchConfig(max_tokens=max_tokens, order="by_length"), device_of(model)
    for batch in Batches(FinitePools(corpus), config):
        for row, answer in zip(
            batch.indices.tolist(), _of(model, batch.to(device), looks), strict=True
        ):
            found[row] = answer
    return [found[row] for row in range(len(corpus))]


def _of(model: Any, batch: Batch, looks: bool) -> Iterator[Answer]:
    from regard.lens import capture
    from regard.lens.capture import attention_modules

    watched = looks and bool(attention_modules(model))
    with inference(model), capture(model) if watched else nullcontext() as record:
        log_probs = torch.log_softmax(model(*batch.inputs).float(), dim=-1).cpu()
        pooled, seen = _looks(record, batch) if record is not None else (None, None)
    for row, length in enumerate(batch.lengths.tolist()):
        yield Answer(
            log_probs[row, :length] if log_probs.dim() == 3 else log_probs[row],
            None if pooled is None else pooled[row, :length],
            None if seen is None else seen[row, :length, :length],
        )


def _looks(record: Any, batch: Batch) -> tuple[Tensor | None, Tensor | None]:
    """Weights of the pooling, and of the last self-attention; a class token's place is left out."""
    pooled = seen = None
    width = batch.tokens.shape[1]
    for name, entry in record.items():
        if name == "pooling.attention":
            pooled = entry.weights[:, 0].float().cpu()  # (B, N)
        elif name.startswith("text.encoder.layers.") and len(entry.looks) == 1:
            weights = entry.weights  # (B, H, N, N)
            if weights.dim() == 4:
                seen = weights.mean(dim=1).float().cpu()
    if seen is not None and seen.shape[-1] == width + 1:  # the first looked for all
        return (seen[:, 0, 1:] if pooled is None else pooled), seen[:, 1:, 1:]
    return pooled, seen
