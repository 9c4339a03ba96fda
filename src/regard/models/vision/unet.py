"""U-Net: down to what is there, up to where exactly; skips gated by attention, or not.

Ronneberger et al. 2015 (https://arxiv.org/abs/1505.04597); gates: Oktay et al. 2018
(https://arxiv.org/abs/1804.03999).
"""

from itertools import pairwise
from typing import Annotated, Any, Literal

import torch
from pydantic import Field
from torch import nn
from torch.nn.functional import interpolate, max_pool2d

from regard.nn.vision import AttentionGate
from regard.types import Float, Tensor

from ..config import Size
from .encoder import COLOURS
from .pyramid import ConvNorm, FramedConfig, entered


class UNetConfig(FramedConfig):
    """A U-Net."""

    kind: Literal["unet"] = "unet"
    channels: Annotated[tuple[Size, ...], Field(min_length=2)] = (16, 32, 64, 128, 128)
    """Of every level, each half as large as the one before."""
    stride: Literal[1, 2] = 1
    """2 begins with half the pixels on either axis, which takes a quarter of the time; logits are
    enlarged in the end."""
    attention: Literal["gate"] | None = "gate"
    """What stands in the skips; ``null`` lets everything pass."""


class UNet(nn.Module):
    r"""A class for every pixel.

    .. math:: d_l = f_l(\text{maxpool}(d_{l-1})), \quad
              u_l = g_l([\hat d_l;\ \text{enlarged}(u_{l+1})]), \quad
              \hat d_l = \alpha_l(d_l, u_{l+1}) \odot d_l

    Ronneberger et al. 2015 (https://arxiv.org/abs/1505.04597). Differs: convolutions keep the
    size, and have batch norm; maps are enlarged by interpolation, so that pictures of any size
    will do.

    Args:
        config: classes, channels, attention.
    """

    def __init__(self, config: UNetConfig) -> None:
        super().__init__()
        self.config = config
        channels = config.channels
        first = _twice(COLOURS, channels[0], stride=config.stride)
        pairs = list(pairwise(channels))
        self.down = nn.ModuleList([first, *(_twice(*pair) for pair in pairs)])
        self.gates = nn.ModuleList(
            nn.Identity() if config.attention is None else AttentionGate(fine, coarse)
            for fine, coarse in pairs
        )
        self.up = nn.ModuleList(_twice(fine + coarse, fine) for fine, coarse in pairs)
        self.output = nn.Conv2d(channels[0], config.classes, 1)

    def forward(self, pixels: Tensor) -> Float[Tensor, "B C Y X"]:
        """Logits of every class at every pixel."""
        features = entered(pixels, self.config)
        skips: list[Tensor] = []
        for level, block in enumerate(self.down):
            features = block(max_pool2d(features, 2, ceil_mode=True) if level else features)
            skips.append(features)
        for level in reversed(range(len(self.up))):
            features = self._joined(level, skips[level], features)
        logits = self.output(features)
        if self.config.stride == 1:
            return logits
        return interpolate(logits, size=pixels.shape[2:], mode="bilinear", align_corners=False)

    def _joined(self, level: int, fine: Tensor, coarse: Tensor) -> Tensor:
        """One level up: what passes the gate beside what comes from below."""
        gate = self.gates[level]
        passed = gate(fine, coarse) if isinstance(gate, AttentionGate) else fine
        enlarged = interpolate(coarse, size=fine.shape[2:], mode="nearest")
        return self.up[level](torch.cat([passed, enlarged], dim=1))


def _twice(channels: int, out: int, *, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(ConvNorm(channels, out, stride=stride), ConvNorm(out, out))


FAST: dict[str, Any] = {"channels": (16, 32, 64, 128), "stride": 2}
"""What a CPU learns thousands of pictures with in half an hour."""


def unet_small(*, classes: int, height: int, width: int) -> UNetConfig:
    """Four levels from half the pixels on, gated skips."""
    return UNetConfig(classes=classes, height=height, width=width, **FAST)


def unet_plain_small(*, classes: int, height: int, width: int) -> UNetConfig:
    """The same without gates."""
    return UNetConfig(classes=classes, height=height, width=width, attention=None, **FAST)
