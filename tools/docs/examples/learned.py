"""Parameters that have learned which English word each French one translates."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor
from torch.nn.functional import nll_loss

from regard.nn import StepAttention

from .example import Map, Module
from .french import FRENCH, LINKS, placed

STEPS, RATE, MOMENTUM = 60, 0.2, 0.9
"""Of gradient descent: enough for every word to look most at its translation."""
LEAST = 1e-3
"""Added to every weight before the logarithm: a key outside a window has none."""


def learned(weights: Callable[..., Tensor], **sizes: tuple[int, ...]) -> Map:
    """The weights by parameters of these sizes, drawn at random and then learned.

    Args:
        weights: (7, 6), made from the parameters, which it takes by name.
        sizes: of every parameter.
    """
    parameters = {name: torch.randn(size).requires_grad_() for name, size in sizes.items()}
    _learn(lambda: weights(**parameters), parameters.values())
    return Map(weights(**parameters).detach(), queries=FRENCH)


def taught(attention: Module) -> Module:
    """The attention after it has learned, from single looks of every French word."""
    assert isinstance(attention, StepAttention)
    states, keys = placed()
    rows = keys.expand(len(FRENCH), -1, -1)
    _learn(lambda: attention(states, rows)[1], attention.parameters())
    return attention


def _learn(weights: Callable[[], Tensor], parameters: Iterable[Tensor]) -> None:
    """Gradient descent with momentum; torch's own optimisers take seconds to import."""
    learning = [(parameter, torch.zeros_like(parameter)) for parameter in parameters]
    links = torch.tensor(LINKS)
    for _ in range(STEPS):
        loss = nll_loss((weights() + LEAST).log(), links)
        gradients = torch.autograd.grad(loss, [parameter for parameter, _ in learning])
        with torch.no_grad():
            for (parameter, pace), gradient in zip(learning, gradients, strict=True):
                parameter.sub_(RATE * pace.mul_(MOMENTUM).add_(gradient))
