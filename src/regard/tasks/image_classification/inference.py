"""Models over many pictures: answers in their order, and where they looked."""

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import torch

from regard.decoding.protocol import device_of, inference
from regard.lens.pictures import Panel
from regard.types import Float, Tensor, UInt8

from .looking import panels_of

ROWS = 256
"""Pictures of a batch where nothing is learned."""


class Answer(NamedTuple):
    """What a model says of one picture."""

    log_probs: Float[Tensor, " V"]
    """Of every label."""
    panels: tuple[Panel, ...] = ()
    """Where it looked."""


def answers(
    model: Any, pixels: UInt8[Tensor, "N 3 Y X"], *, looks: bool = False, mirror: bool = False
) -> Iterator[Answer]:
    """An answer to every picture, in their order.

    Args:
        model: a classifier, which is left as it was.
        pixels: uint8.
        looks: whether to tell where it looked, too.
        mirror: whether an answer is the mean of those to a picture and to its mirror image.
    """
    device = device_of(model)
    for some in pixels.split(ROWS):
        yield from _of(model, some.to(device), looks, mirror)


def _of(model: Any, pixels: Tensor, looks: bool, mirror: bool) -> Iterator[Answer]:
    from regard.lens import capture
    from regard.lens.capture import attention_modules

    watched = looks and bool(attention_modules(model))
    with inference(model), capture(model) if watched else nullcontext() as record:
        logits = model(pixels).float()
    with inference(model):
        if mirror:
            logits = (logits + model(pixels.flip(-1)).float()) / 2
        log_probs = torch.log_softmax(logits, dim=-1).cpu()
        panels: Sequence[tuple[Panel, ...]] = [()] * len(pixels)
        if looks:
            panels = panels_of(model, pixels, record, log_probs.argmax(dim=-1))
    for row, found in zip(log_probs, panels, strict=True):
        yield Answer(row, found)
