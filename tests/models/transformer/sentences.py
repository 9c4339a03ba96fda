"""Batches and models that the tests of this folder share."""

from typing import Any, NamedTuple

import torch
from torch import Tensor

from regard.models.transformer import Transformer, TransformerConfig

PAD, SOURCE_VOCAB, TARGET_VOCAB = 0, 11, 13


class Sentences(NamedTuple):
    source: Tensor
    source_lengths: Tensor
    target: Tensor


def sentences(*, seed: int = 0, source=(5, 2, 7), target=(4, 6, 1)) -> Sentences:
    """Three pairs of these lengths, filled up to the longest."""
    generator = torch.Generator().manual_seed(seed)
    return Sentences(
        _tokens(source, SOURCE_VOCAB, generator),
        torch.tensor(source),
        _tokens(target, TARGET_VOCAB, generator),
    )


def _tokens(lengths, vocab: int, generator: torch.Generator) -> Tensor:
    tokens = torch.randint(1, vocab, (len(lengths), max(lengths)), generator=generator)
    beyond = torch.arange(max(lengths)) >= torch.tensor(lengths).unsqueeze(-1)
    return tokens.masked_fill(beyond, PAD)


def tiny(**changes: Any) -> Transformer:
    """A model for which every size is another one, in float64 and without dropout."""
    sizes = {
        "source_vocab": SOURCE_VOCAB,
        "target_vocab": TARGET_VOCAB,
        "pad": PAD,
        "dropout": 0.0,
        "model_dim": 8,
        "num_heads": 2,
        "encoder_layers": 1,
        "decoder_layers": 3,
        "hidden_dim": 10,
        "reach": 3,
    }
    torch.manual_seed(1)
    return Transformer(TransformerConfig(**{**sizes, **changes})).double().eval()


def stepped(model: Transformer, batch: Sentences) -> tuple[Tensor, Tensor]:
    """Logits and looks, one token at a time."""
    state = model.start(batch.source, batch.source_lengths)
    logits, looks = [], []
    for tokens in batch.target.unbind(1):
        found, state = model.step(tokens, state)
        logits.append(found)
        looks.append(model.last_weights(state))
    return torch.stack(logits, dim=1), torch.stack(looks, dim=1)


def real(batch: Sentences) -> Tensor:
    """Which target positions are tokens."""
    return batch.target != PAD
