"""Additive scores as they are defined."""

import torch

from regard.types import Float, Tensor


def definition(
    query: Float[Tensor, "*#B r A"], key: Float[Tensor, "*#B c A"], weight: Float[Tensor, " A"]
) -> Float[Tensor, "*B r c"]:
    """The sum over features of weight · tanh(query + key), for all pairs."""
    hidden = torch.tanh(query.unsqueeze(-2) + key.unsqueeze(-3))  # (*B, r, c, A)
    return hidden @ weight
