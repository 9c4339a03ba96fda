"""Maps of a picture at several scales, and all of them merged into one fine map."""

from typing import Annotated

import torch
from pydantic import Field
from torch import nn
from torch.nn.functional import interpolate

from regard.config import Config
from regard.errors import ShapeError
from regard.nn.vision import ATTENTIONS
from regard.types import Float, Tensor

from ..config import ModelConfig, Size
from .cnn import AttentionName, ResidualBlock
from .encoder import COLOURS, PictureConfig, Share, Spread
from .normalisation import normalised
from .pointwise import Pointwise


def attention_of(name: AttentionName | None, channels: int) -> nn.Module:
    """The attention of this name over maps of so many channels; the identity for ``None``."""
    return nn.Identity() if name is None else ATTENTIONS[name](channels)


def entered(pixels: Tensor, config: "FramedConfig | PictureConfig") -> Float[Tensor, "B 3 Y X"]:
    """Pictures as a network reads them: normalised if they have 8 bits, channels last in memory.

    Args:
        pixels: (B, 3, Y, X), uint8, or floats that are normalised already.
        config: with the statistics of colours.

    Raises:
        ShapeError: pixels of another form.
    """
    if pixels.dim() != 4 or pixels.shape[1] != COLOURS:
        raise ShapeError(f"a model needs pictures (B, 3, Y, X), got {tuple(pixels.shape)}")
    if pixels.dtype == torch.uint8:
        pixels = normalised(pixels, config.mean, config.std)
    return pixels.contiguous(memory_format=torch.channels_last)


class FramedConfig(ModelConfig):
    """What every model of pictures in frames needs to know."""

    classes: Size
    """Kinds of objects, or of pixels."""
    height: Size
    """Rows of the pictures it is trained on, into which others are fitted."""
    width: Size
    """Columns of them."""
    mean: tuple[Share, Share, Share] = (0.5, 0.5, 0.5)
    """Of red, green and blue, from 0 to 1; it is taken away."""
    std: tuple[Spread, Spread, Spread] = (0.25, 0.25, 0.25)
    """By which what is left is divided."""


class PyramidConfig(Config):
    """A small residual network, read out at every scale."""

    stem: Size = 16
    """Channels of the first convolution, which halves the picture."""
    channels: Annotated[tuple[Size, ...], Field(min_length=1)] = (32, 64, 128)
    """Channels of each stage, the first of them a quarter of the picture; the next halve again."""
    blocks: Annotated[tuple[Size, ...], Field(min_length=1)] = (1, 1, 2)
    """Residual blocks of each stage."""


class ConvNorm(nn.Sequential):
    """Convolution, batch norm, and ReLU unless it is left out."""

    def __init__(
        self, channels: int, out: int, kernel_size: int = 3, *, stride: int = 1, ends: bool = True
    ) -> None:
        if kernel_size == 1:
            convolution: nn.Conv2d = Pointwise(channels, out, step=stride, bias=False)
        else:
            around = kernel_size // 2
            convolution = nn.Conv2d(channels, out, kernel_size, stride, around, bias=False)
        active = [nn.ReLU(inplace=True)] if ends else []
        super().__init__(convolution, nn.BatchNorm2d(out), *active)


class Pyramid(nn.Module):
    """Stages of residual blocks, each half as large as the one before.

    Args:
        config: channels and blocks.
        attention: at the end of every block; ``None`` for none.
        first: the stage from which on there is attention, counted from 0.
    """

    def __init__(
        self, config: PyramidConfig, attention: AttentionName | None, *, first: int = 0
    ) -> None:
        super().__init__()
        if len(config.channels) != len(config.blocks):
            raise ShapeError(
                f"every stage needs channels and blocks, got {len(config.channels)} and "
                f"{len(config.blocks)}"
            )
        self.stem = ConvNorm(3, config.stem, stride=2)
        self.stages = nn.ModuleList()
        before = config.stem
        for stage, (out, blocks) in enumerate(zip(config.channels, config.blocks, strict=True)):
            own = attention if stage >= first else None
            entry = ResidualBlock(before, out, 2, own)
            more = [ResidualBlock(out, out, 1, own) for _ in range(blocks - 1)]
            self.stages.append(nn.Sequential(entry, *more))
            before = out

    def forward(self, pixels: Float[Tensor, "B 3 Y X"]) -> list[Float[Tensor, "B _ _ _"]]:
        """The map of every stage, the finest first."""
        maps = []
        features = self.stem(pixels)
        for stage in self.stages:
            features = stage(features)
            maps.append(features)
        return maps


class Merge(nn.Module):
    r"""Coarse maps, enlarged, are added to finer ones: where something is, and what.

    .. math:: m_s = \text{enlarged}(m_{s+1}) + W_s x_s

    Lin et al. 2017 (https://arxiv.org/abs/1612.03144), who keep every scale; here only the finest
    is kept, smoothed by a convolution.

    Args:
        channels: of the maps to be merged, the finest first.
        dim: channels of the merged map.
        attention: over the merged map; ``None`` for none.
    """

    def __init__(
        self, channels: tuple[int, ...], dim: int, attention: AttentionName | None
    ) -> None:
        super().__init__()
        self.lateral = nn.ModuleList(nn.Conv2d(one, dim, 1) for one in channels)
        self.smooth = ConvNorm(dim, dim)
        self.attention = attention_of(attention, dim)

    def forward(self, maps: list[Float[Tensor, "B _ _ _"]]) -> Float[Tensor, "B M y x"]:
        """One map as fine as the first."""
        merged: Tensor | None = None
        for project, features in zip(reversed(self.lateral), reversed(maps), strict=True):
            found = project(features)
            if merged is not None:
                found = found + interpolate(merged, size=found.shape[2:], mode="nearest")
            merged = found
        return self.attention(self.smooth(merged))
