"""The compact convolutional Transformer: patches by convolutions, pooled by attention."""

from itertools import pairwise
from typing import Literal

import torch
from torch import nn

from regard.nn import AttentionPooling
from regard.types import Float, Tensor

from ..config import Size
from .encoder import COLOURS, PictureConfig, PictureEncoder, channels_last
from .vit import PatchLayersConfig, fitting, vision_layers


class CCTConfig(PictureConfig, PatchLayersConfig):
    """Hassani et al. 2021 (https://arxiv.org/abs/2104.05704): CCT-2/3×2 by default, smaller."""

    kind: Literal["cct"] = "cct"
    stem: tuple[Size, ...] = (32,)
    """Channels of the convolutions before the last, which has those of the tokens; each is followed
    by a pooling that halves the map."""
    kernel: Size = 3
    """Side of the convolutions."""
    position: Literal["learned", "none"] = "learned"
    """How a token knows where it stands, beside what convolutions have told it."""

    @property
    def grid(self) -> tuple[int, int]:
        """Tokens of a picture, down and across."""
        height, width = self.height, self.width
        for _ in range(len(self.stem) + 1):
            height, width = -(-height // 2), -(-width // 2)
        return height, width


class CCT(PictureEncoder):
    r"""Convolutions make tokens, a Transformer lets them look at each other, attention pools them.

    .. math:: x_0 = \text{MaxPool}(\text{ReLU}(\text{Conv}(x))), \quad
              z = \text{softmax}(w^\top x_L) \, x_L

    Hassani et al. 2021, Eq. 1 and 2 (https://arxiv.org/abs/2104.05704); the second is their
    sequence pooling, which capture shows as ``pooling``: how much each place counts.
    """

    def __init__(self, config: CCTConfig) -> None:
        super().__init__(config)
        self.config: CCTConfig = config
        widths = (COLOURS, *config.stem, config.model_dim)
        stem: list[nn.Module] = []
        for channels, width in pairwise(widths):
            around = config.kernel // 2
            convolution = nn.Conv2d(channels, width, config.kernel, padding=around, bias=False)
            nn.init.kaiming_normal_(convolution.weight)
            stem += [convolution, nn.ReLU(), nn.MaxPool2d(3, 2, padding=1)]
        self.stem = channels_last(nn.Sequential(*stem))
        rows, columns = config.grid
        learned = config.position == "learned"
        self.positions = (
            nn.Parameter(torch.zeros(rows * columns, config.model_dim).normal_(std=0.2))
            if learned
            else None
        )
        self.layers = vision_layers(config, None)
        self.norm = nn.LayerNorm(config.model_dim, eps=config.norm_eps)
        self.pooling = AttentionPooling(config.model_dim, score="dot")
        self.output_dim = config.model_dim

    def features(self, pixels: Float[Tensor, "B 3 Y X"]) -> Float[Tensor, "B M y x"]:
        """The tokens as a map."""
        found = self.stem(pixels)
        tokens = self._looked(found)
        return tokens.mT.unflatten(-1, found.shape[2:])

    def pool(self, pixels: Float[Tensor, "B 3 Y X"]) -> Float[Tensor, "B M"]:
        """The tokens, weighed by how telling they are."""
        return self.pooling(self._looked(self.stem(pixels))).squeeze(-2)

    def _looked(self, found: Float[Tensor, "B M y x"]) -> Float[Tensor, "B N M"]:
        tokens = found.flatten(2).mT  # (B, N, M)
        if self.positions is not None:
            height, width = found.shape[2:]
            tokens = tokens + fitting(self.positions, self.config.grid, (height, width))
        return self.norm(self.layers(tokens))
