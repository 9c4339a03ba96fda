"""A model as trained and as packed, on the same text."""

import torch

from regard.decoding.protocol import inference
from regard.training.task import Comparison

from .predictor import Generator
from .scoring import surprise

WINDOW = 64


def compared(before: Generator, after: Generator, text: str, count: int) -> Comparison:
    """Nats per token on the first windows, and how many of them end in another likeliest token."""
    tokens = before.codec.encode(text)[: count * WINDOW + 1]
    length = min(WINDOW, len(tokens) - 1)
    windows = torch.from_numpy(tokens[: (len(tokens) - 1) // length * length].copy())
    chosen, losses = [], []
    for generator in (before, after):
        with inference(generator.model):
            logits = generator.model(windows.view(-1, length))[:, -1]
        chosen.append(logits.argmax(dim=-1))
        found = surprise(generator.model, tokens, length=length, max_tokens=4096)
        losses.append(found.mean)
    changed = int((chosen[0] != chosen[1]).sum())
    return Comparison(len(chosen[0]), changed, "nats per token", *losses)
