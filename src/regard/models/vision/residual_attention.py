"""The residual attention network: every stage has a trunk and a mask over it."""

from typing import Annotated, Literal

import torch
from pydantic import Field, model_validator
from torch import nn

from regard.nn.vision import ResidualAttention
from regard.nn.vision.residual_attention import Activation, ResidualUnit
from regard.types import Float, Tensor

from ..config import Size
from .encoder import COLOURS, PictureConfig, PictureEncoder, channels_last
from .pointwise import Pointwise

Several = Annotated[tuple[Size, ...], Field(min_length=1)]


class ResidualAttentionConfig(PictureConfig):
    """Wang et al. 2017, table 2 (https://arxiv.org/abs/1704.06904): Attention-56 by default, with
    (1, 2, 3) modules Attention-92; stages are those of CIFAR, the widths smaller."""

    kind: Literal["residual-attention"] = "residual-attention"
    stem: Size = 16
    """Channels of the first convolution."""
    widths: Several = (32, 64, 128)
    """Channels of each stage; all but the first halve the map."""
    modules: Several = (1, 1, 1)
    """Attention modules of each stage."""
    stride: Size = 1
    """By how much the first stage makes the map smaller."""
    activation: Activation = "mixed"
    """How a mask ends: a sigmoid of each number, of each place, or of each channel's map."""
    outer_units: Size = 1
    """Residual units before trunk and mask part, and after they meet: p of the paper."""
    trunk_units: Size = 2
    """Residual units of the trunk: t."""
    mask_units: Size = 1
    """Residual units between the poolings of the mask: r."""
    last_units: Annotated[int, Field(ge=0)] = 2
    """Residual units behind the last stage."""
    attention: bool = True
    """Whether there are masks; without them the trunk is alone."""

    @model_validator(mode="after")
    def _stages_fit(self) -> "ResidualAttentionConfig":
        if len(self.widths) != len(self.modules):
            raise ValueError(
                "widths and modules need one number a stage, got "
                f"{len(self.widths)} and {len(self.modules)}"
            )
        return self


class Transition(nn.Module):
    """A residual unit that makes more channels, and a smaller map if asked for.

    He et al. 2016 (https://arxiv.org/abs/1603.05027): the skip is a convolution of one position,
    from what is normalised already.
    """

    def __init__(self, channels: int, out_channels: int, stride: int) -> None:
        super().__init__()
        narrow = max(1, out_channels // 4)
        self.norm = nn.BatchNorm2d(channels)
        self.reduce = nn.Conv2d(channels, narrow, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(narrow)
        self.look_around = nn.Conv2d(narrow, narrow, 3, stride, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(narrow)
        self.expand = nn.Conv2d(narrow, out_channels, 1, bias=False)
        self.skip = Pointwise(channels, out_channels, step=stride, bias=False)

    def forward(self, features: Float[Tensor, "B c Y X"]) -> Float[Tensor, "B C y x"]:
        """The skip and what the bottleneck adds to it."""
        ready = torch.relu_(self.norm(features))
        added = torch.relu_(self.norm1(self.reduce(ready)))
        added = torch.relu_(self.norm2(self.look_around(added)))
        return self.skip(ready) + self.expand(added)


class ResidualAttentionNetwork(PictureEncoder):
    r"""Stages of residual units whose output is weighed by a mask, place by place.

    .. math:: H(x) = (1 + M(x)) \odot T(x)

    Wang et al. 2017 (https://arxiv.org/abs/1704.06904). The masks of the first stage halve the map
    twice, the others as often as it can be halved down to the last map of the paper. Capture shows
    them as ``stages.s.n``.
    """

    def __init__(self, config: ResidualAttentionConfig) -> None:
        super().__init__(config)
        self.stem = nn.Conv2d(COLOURS, config.stem, 3, padding=1, bias=False)
        channels, stages = config.stem, []
        for number, (width, count) in enumerate(zip(config.widths, config.modules, strict=True)):
            depth = max(1, len(config.widths) - 1 - number)
            modules = [_module(config, width, depth) for _ in range(count)]
            stages.append(
                nn.Sequential(Transition(channels, width, 2 if number else config.stride), *modules)
            )
            channels = width
        self.stages = nn.Sequential(*stages)
        self.last = nn.Sequential(*(ResidualUnit(channels) for _ in range(config.last_units)))
        self.norm = nn.BatchNorm2d(channels)
        self.output_dim = channels
        channels_last(self)

    def features(self, pixels: Float[Tensor, "B 3 Y X"]) -> Float[Tensor, "B M y x"]:
        """The map behind the last unit, normalised, and positive."""
        return torch.relu_(self.norm(self.last(self.stages(self.stem(pixels)))))


def _module(config: ResidualAttentionConfig, width: int, depth: int) -> nn.Module:
    if not config.attention:
        units = 2 * config.outer_units + config.trunk_units
        return nn.Sequential(*(ResidualUnit(width) for _ in range(units)))
    return ResidualAttention(
        width,
        depth=depth,
        activation=config.activation,
        num_outer_units=config.outer_units,
        num_trunk_units=config.trunk_units,
        num_mask_units=config.mask_units,
    )
