"""The tensors of a case: made once, the same for every system in a race."""

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor

from .case import Case

MODULES: dict[str, int | None] = {
    "layer": None,
    "bahdanau": None,
    "bahdanau steps": 16,
    "cached step": 1,
    "RNN step": 1,
    "LSTM step": 1,
    "GRU step": 1,
}
"""Mechanisms whose keys are their values, and how many queries they get; None is one per key."""


@dataclass(frozen=True)
class Inputs:
    """What a case is computed from.

    Args:
        query: (B, H, N, D), or (B, N, M) for a whole layer; so are ``key`` and ``value``.
        key: what is looked at.
        value: what is pooled.
        upstream: the gradient that arrives at the context.
        lengths: (B,) keys that are no padding, for the padded mask.
        parameters: weights of the score or of the layer, by name.
    """

    query: Tensor
    key: Tensor
    value: Tensor
    upstream: Tensor
    lengths: Tensor
    parameters: dict[str, Tensor] = field(default_factory=dict)

    @property
    def leaves(self) -> tuple[Tensor, ...]:
        """Everything a gradient is wanted for."""
        return (self.query, self.key, self.value, *self.parameters.values())

    def forget_gradients(self) -> None:
        """Drop the gradients of the last backward pass."""
        for leaf in self.leaves:
            leaf.grad = None


def make_inputs(case: Case) -> Inputs:
    """Normal float32 tensors from the case's seed; standard, but for distances."""
    generator = torch.Generator().manual_seed(case.seed)
    batch, _, positions, width = case.shape
    looking, looked_at = shapes(case)

    def normal(*sizes: int) -> Tensor:
        return torch.randn(sizes, generator=generator)

    # Distances of 64 standard normal features make weights so small that processors slow down.
    spread = width**-0.25 if case.mechanism == "euclidean" else 1.0
    query = normal(*looking) * spread
    key = query if case.mechanism == "layer" else normal(*looked_at) * spread
    value = key if case.mechanism in MODULES else normal(*looked_at)
    inputs = Inputs(
        query=query,
        key=key,
        value=value,
        upstream=normal(*looking),
        lengths=make_lengths(batch, positions),
        parameters=make_parameters(case, normal),
    )
    for leaf in inputs.leaves:
        leaf.requires_grad_(case.backward)
    return inputs


def shapes(case: Case) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Of queries and of keys; modules take (B, N, M) with the heads side by side."""
    batch, heads, positions, width = case.shape
    if case.mechanism not in MODULES:
        return case.shape, case.shape
    rows = MODULES[case.mechanism]
    model = heads * width
    return (batch, positions if rows is None else rows, model), (batch, positions, model)


def make_lengths(batch: int, positions: int) -> Tensor:
    """Lengths spread evenly from half of ``positions`` to all; three quarters for one sequence."""
    if batch == 1:
        return torch.tensor([max(1, 3 * positions // 4)])
    return torch.linspace(max(1, positions // 2), positions, batch).round().long()


def make_parameters(case: Case, normal: Callable[..., Tensor]) -> dict[str, Tensor]:
    """The weights a mechanism carries besides its inputs."""
    _, heads, _, width = case.shape
    if case.mechanism == "additive":
        return {"v": normal(width) * width**-0.5}
    if case.mechanism == "general":
        return {"weight": normal(width, width) * width**-0.75}
    if case.mechanism.startswith("bahdanau"):
        return {
            "query_weight": normal(width, width) * width**-0.5,
            "key_weight": normal(width, width) * width**-0.5,
            "v": normal(width) * width**-0.5,
        }
    if case.mechanism == "layer":
        model = heads * width
        return {
            "in_weight": normal(3 * model, model) * model**-0.5,
            "in_bias": torch.zeros(3 * model),
            "out_weight": normal(model, model) * model**-0.5,
            "out_bias": torch.zeros(model),
        }
    return {}
