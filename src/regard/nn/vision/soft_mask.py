"""The soft mask branch of residual attention: down to look at the whole, up to say where."""

from collections.abc import Callable
from typing import Literal

import torch
from torch import nn
from torch.nn.functional import interpolate, layer_norm, normalize

from regard.errors import ChoiceError
from regard.types import Float, Tensor

from .dimensions import dimensions
from .residual_unit import Activated, ResidualUnit, residual_units

Activation = Literal["mixed", "channel", "spatial"]


def mixed(scores: Float[Tensor, "B C *P"]) -> Float[Tensor, "B C *P"]:
    """The sigmoid of each number by itself."""
    return torch.sigmoid(scores)


def channel(scores: Float[Tensor, "B C *P"]) -> Float[Tensor, "B C *P"]:
    """The channels of a position as a vector of length 1, so that no position outweighs another."""
    return normalize(scores, dim=1)


def spatial(scores: Float[Tensor, "B C *P"]) -> Float[Tensor, "B C *P"]:
    """The sigmoid after each channel's map has mean 0 and deviation 1."""
    return torch.sigmoid(layer_norm(scores, scores.shape[2:]))


ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "mixed": mixed,
    "channel": channel,
    "spatial": spatial,
}


class Hourglass(nn.Module):
    """Positions pooled to half of each axis, looked at, and interpolated back.

    Args:
        channels: C.
        depth: how often positions are halved.
        num_units: residual units on the way down, and again on the way up, at each depth.
        dims: axes of the positions.
    """

    def __init__(self, channels: int, depth: int, num_units: int, *, dims: int) -> None:
        super().__init__()
        layers = dimensions(self, dims)
        self.interpolation = layers.interpolation
        self.pool = layers.max_pool(3, stride=2, padding=1)
        self.down = residual_units(num_units, channels, dims=dims)
        deeper = depth > 1
        self.inner = Hourglass(channels, depth - 1, num_units, dims=dims) if deeper else None
        self.skip = ResidualUnit(channels, dims=dims) if deeper else None
        self.up = residual_units(num_units, channels, dims=dims)

    def forward(self, features: Float[Tensor, "B C *P"]) -> Float[Tensor, "B C *P"]:
        """As many positions as came, each having seen its surroundings."""
        small = self.down(self.pool(features))
        if self.inner is not None and self.skip is not None:
            small = self.inner(small) + self.skip(small)
        return interpolate(self.up(small), size=features.shape[2:], mode=self.interpolation)


class SoftMask(nn.Module):
    """A number per channel and position, about how much it matters."""

    def __init__(
        self, channels: int, *, depth: int, num_units: int, activation: Activation, dims: int
    ) -> None:
        super().__init__()
        if activation not in ACTIVATIONS:
            known = ", ".join(sorted(ACTIVATIONS))
            raise ChoiceError(f"unknown activation {activation!r}. Known: {known}.")
        self.activation = activation
        self.hourglass = Hourglass(channels, depth, num_units, dims=dims)
        self.head = nn.Sequential(
            Activated(channels, channels, 1, dims=dims), Activated(channels, channels, 1, dims=dims)
        )

    def forward(self, features: Float[Tensor, "B C *P"]) -> Float[Tensor, "B C *P"]:
        """M(x)."""
        return ACTIVATIONS[self.activation](self.head(self.hourglass(features)))
