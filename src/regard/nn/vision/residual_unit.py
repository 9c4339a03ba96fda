"""Residual units with pre-activation, the bricks of residual attention."""

import torch
from torch import nn

from regard.types import Float, Tensor

from .dimensions import dimensions


class Activated(nn.Module):
    """Batch norm, ReLU, convolution: in this order.

    Args:
        channels: what comes in.
        out_channels: what goes out.
        kernel_size: an odd size; positions stay as many as they are.
        dims: axes of the positions.
    """

    def __init__(self, channels: int, out_channels: int, kernel_size: int, *, dims: int) -> None:
        super().__init__()
        layers = dimensions(self, dims)
        self.norm = layers.batch_norm(channels)
        self.convolution = layers.convolution(
            channels, out_channels, kernel_size, padding=kernel_size // 2, bias=False
        )

    def forward(self, features: Float[Tensor, "B C *P"]) -> Float[Tensor, "B c *P"]:
        """The convolution of what is positive after normalisation."""
        return self.convolution(torch.relu(self.norm(features)))


class ResidualUnit(nn.Module):
    r"""A bottleneck beside the identity.

    .. math:: y = x + W_3 * a(W_2 * a(W_1 * a(x))), \quad a = \text{ReLU} \circ \text{BatchNorm}

    He et al. 2016 (https://arxiv.org/abs/1603.05027): 1, then 3, then 1 wide, on a quarter of the
    channels.
    """

    def __init__(self, channels: int, *, dims: int = 2) -> None:
        super().__init__()
        narrow = max(1, channels // 4)
        self.reduce = Activated(channels, narrow, 1, dims=dims)
        self.look_around = Activated(narrow, narrow, 3, dims=dims)
        self.expand = Activated(narrow, channels, 1, dims=dims)

    def forward(self, features: Float[Tensor, "B C *P"]) -> Float[Tensor, "B C *P"]:
        """The features and what the bottleneck adds to them."""
        return features + self.expand(self.look_around(self.reduce(features)))


def residual_units(count: int, channels: int, *, dims: int) -> nn.Sequential:
    """So many units, one after the other; none are the identity."""
    return nn.Sequential(*(ResidualUnit(channels, dims=dims) for _ in range(count)))
