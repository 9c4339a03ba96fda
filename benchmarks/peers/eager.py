"""Attention written out in torch, the whole map in memory: what most code in the wild does."""

import math

import torch

from ..case import Case
from ..inputs import Inputs
from .dense_mask import allowed
from .system import Forward, System


def softmax(case: Case, inputs: Inputs) -> Forward:
    """``softmax(q kᵀ / √D) v``; the query is scaled, which is cheaper than scaling the map."""
    mask = allowed(case, inputs)
    forbidden = None if mask is None else ~mask
    query, key, value = inputs.query, inputs.key, inputs.value
    scale = query.shape[-1] ** -0.5

    def forward() -> torch.Tensor:
        scores = (query * scale) @ key.transpose(-1, -2)
        if forbidden is not None:
            scores = scores.masked_fill(forbidden, -math.inf)
        return scores.softmax(-1) @ value

    return forward


def additive(case: Case, inputs: Inputs) -> Forward:
    """``softmax(tanh(q + k) v) value``: the usual form, with its (N, N, D) tensor."""
    query, key, value, v = inputs.query, inputs.key, inputs.value, inputs.parameters["v"]

    def forward() -> torch.Tensor:
        hidden = torch.tanh(query.unsqueeze(-2) + key.unsqueeze(-3))
        return (hidden @ v).softmax(-1) @ value

    return forward


EAGER = System(
    name="eager",
    note="the formula in plain torch, with the whole map in memory",
    builders={"softmax": softmax, "additive": additive},
)
