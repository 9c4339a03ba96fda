"""Residual networks of convolutions, with any attention in any block."""

from collections.abc import Iterable
from itertools import repeat
from typing import Annotated, Literal

import torch
from pydantic import Field, model_validator
from torch import nn

from regard.nn.vision import ATTENTIONS
from regard.types import Float, Tensor

from ..config import Size
from .encoder import COLOURS, PictureConfig, PictureEncoder, channels_last
from .pointwise import Pointwise

AttentionName = Literal[
    "se", "eca", "cbam", "channel", "spatial", "non_local", "global_context", "coordinate"
]
"""A block of :mod:`regard.nn.vision` that keeps the shape of features."""
Several = Annotated[tuple[Size, ...], Field(min_length=1)]


class CNNConfig(PictureConfig):
    """He et al. 2016, section 4.2 (https://arxiv.org/abs/1512.03385): ResNet-20 by default."""

    kind: Literal["cnn"] = "cnn"
    stem: Size = 16
    """Channels of the first convolution, which sees every pixel."""
    widths: Several = (16, 32, 64)
    """Channels of each stage."""
    blocks: Several = (3, 3, 3)
    """Residual blocks of each stage."""
    strides: Several = (1, 2, 2)
    """By how much each stage makes the map smaller, on either axis."""
    attention: AttentionName | tuple[AttentionName | None, ...] | None = None
    """Attention at the end of every block, before the sum with its skip; or one for each block, in
    their order."""

    @model_validator(mode="after")
    def _stages_fit(self) -> "CNNConfig":
        counts = {len(self.widths), len(self.blocks), len(self.strides)}
        if len(counts) > 1:
            raise ValueError(
                "widths, blocks and strides need one number a stage, got "
                f"{len(self.widths)}, {len(self.blocks)} and {len(self.strides)}"
            )
        if isinstance(self.attention, tuple) and len(self.attention) != sum(self.blocks):
            raise ValueError(
                f"attention needs one name, or one for each of {sum(self.blocks)} blocks, got "
                f"{len(self.attention)}"
            )
        return self

    @property
    def attentions(self) -> Iterable[AttentionName | None]:
        """That of every block."""
        if isinstance(self.attention, tuple):
            return self.attention
        return repeat(self.attention, sum(self.blocks))


class ResidualBlock(nn.Module):
    r"""Two convolutions beside a skip, with attention over what they add.

    .. math:: y = \text{ReLU}\bigl(W_s x + A(F(x))\bigr), \quad
              F(x) = \text{BN}(W_2 * \text{ReLU}(\text{BN}(W_1 * x)))

    He et al. 2016, Eq. 2; attention where Hu et al. 2018, figure 3, put it. W_s is the identity
    where the shape stays, and a convolution of one position with its norm where it does not.

    Args:
        channels: what comes in.
        out_channels: what goes out.
        stride: by how much the map becomes smaller.
        attention: a name, or none.
    """

    def __init__(
        self, channels: int, out_channels: int, stride: int, attention: AttentionName | None
    ) -> None:
        super().__init__()
        self.convolution1 = _convolution(channels, out_channels, 3, stride)
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.convolution2 = _convolution(out_channels, out_channels, 3)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.attention = nn.Identity() if attention is None else ATTENTIONS[attention](out_channels)
        same = channels == out_channels and stride == 1
        self.skip = nn.Identity() if same else _skip(channels, out_channels, stride)

    def forward(self, features: Float[Tensor, "B c Y X"]) -> Float[Tensor, "B C y x"]:
        """The skip and what the convolutions add to it."""
        added = torch.relu_(self.norm1(self.convolution1(features)))
        added = self.attention(self.norm2(self.convolution2(added)))
        return torch.relu_(added + self.skip(features))


def _convolution(channels: int, out_channels: int, size: int, stride: int = 1) -> nn.Conv2d:
    if size == 1:
        made: nn.Conv2d = Pointwise(channels, out_channels, step=stride, bias=False)
    else:
        made = nn.Conv2d(channels, out_channels, size, stride, padding=size // 2, bias=False)
    nn.init.kaiming_normal_(made.weight, mode="fan_out", nonlinearity="relu")
    return made


def _skip(channels: int, out_channels: int, stride: int) -> nn.Module:
    return nn.Sequential(
        _convolution(channels, out_channels, 1, stride), nn.BatchNorm2d(out_channels)
    )


class CNN(PictureEncoder):
    """A residual network over pictures of any size.

    ==================  ==========================================================
    ``encoder(pixels)``  (B, M, h, w): sides divided by the product of the strides
    capture              ``stages.s.b.attention``, where there is one
    ==================  ==========================================================
    """

    def __init__(self, config: CNNConfig) -> None:
        super().__init__(config)
        self.stem = nn.Sequential(
            _convolution(COLOURS, config.stem, 3), nn.BatchNorm2d(config.stem), nn.ReLU()
        )
        names, channels, stages = iter(config.attentions), config.stem, []
        for width, count, stride in zip(config.widths, config.blocks, config.strides, strict=True):
            blocks = []
            for number in range(count):
                blocks.append(ResidualBlock(channels, width, 1 if number else stride, next(names)))
                channels = width
            stages.append(nn.Sequential(*blocks))
        self.stages = nn.Sequential(*stages)
        self.output_dim = channels
        channels_last(self)

    def features(self, pixels: Float[Tensor, "B 3 Y X"]) -> Float[Tensor, "B M y x"]:
        """The map behind the last stage."""
        return self.stages(self.stem(pixels))
