"""The plain training loop, as people write it."""

from typing import Protocol, runtime_checkable

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from .protocol import Job, Meter, versions
from .sizes import CLIP, PAD, RATE, SMOOTHING
from .text import Padded, amount, batches, pairs, vocabulary


@runtime_checkable
class Make(Protocol):
    """How a model is made."""

    def __call__(self, architecture: str, vocab: int) -> nn.Module:
        """A model that gives logits (B, T, V) for a batch."""


def train(job: Job, meter: Meter, make: Make, *packages: str) -> None:
    """Train until told to stop.

    Args:
        job: what.
        meter: how long.
        make: the model.
        packages: whose versions are told.
    """
    torch.set_num_threads(job.threads)
    torch.manual_seed(0)
    numbers = vocabulary(job.folder)
    examples = pairs(job.folder, numbers)
    model = make(job.architecture, len(numbers)).train()
    optimiser = torch.optim.Adam(model.parameters(), lr=RATE, betas=(0.9, 0.98))
    meter.ready(parameters=parameters(model), versions=versions("torch", *packages))
    for batch in meter.over(batches(examples, job.max_tokens), amount):
        optimiser.zero_grad()
        loss(model(batch), batch).backward()
        nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimiser.step()


def loss(logits: Tensor, batch: Padded) -> Tensor:
    """Smoothed cross entropy, the mean over tokens."""
    targets = batch.target_out.flatten()
    return cross_entropy(logits.flatten(0, 1), targets, ignore_index=PAD, label_smoothing=SMOOTHING)


def parameters(model: nn.Module) -> int:
    """How many numbers are learned."""
    return sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)
