"""What every model of pictures stands on: a map of features, and one vector for all of it."""

from abc import abstractmethod
from typing import Annotated, TypeVar

import torch
from pydantic import Field
from torch import nn

from regard.errors import ShapeError
from regard.types import Float, Tensor

from ..config import Config, Size
from .normalisation import normalised

Share = Annotated[float, Field(ge=0, le=1)]
Spread = Annotated[float, Field(gt=0)]
COLOURS = 3


class PictureConfig(Config):
    """What every encoder of pictures needs to know."""

    height: Size = 32
    """Pixels of the pictures it is trained on, from above to below."""
    width: Size = 32
    """The same from left to right."""
    mean: tuple[Share, Share, Share] = (0.5, 0.5, 0.5)
    """Of red, green and blue, from 0 to 1; it is taken away."""
    std: tuple[Spread, Spread, Spread] = (0.25, 0.25, 0.25)
    """By which what is left is divided."""


class PictureEncoder(nn.Module):
    """From pixels to a grid of features: all that captioners, detectors and classifiers ask.

    >>> encoder = build_encoder(CNNConfig())
    >>> encoder(pixels)                # (B, M, h, w)
    >>> encoder.pooled(pixels)         # (B, M)

    ``pixels`` are whole numbers of 8 bits, which the encoder normalises by the statistics of its
    config, or floats that are normalised already. A subclass gives :meth:`features`; one that pools
    in a way of its own gives :meth:`pool`, too.

    Attributes:
        output_dim: M, channels of the map.
        config: sizes and statistics.
    """

    output_dim: int

    def __init__(self, config: PictureConfig) -> None:
        super().__init__()
        self.config = config

    @abstractmethod
    def features(self, pixels: Float[Tensor, "B 3 Y X"]) -> Float[Tensor, "B M y x"]:
        """The map of pictures that are normalised."""

    def pool(self, pixels: Float[Tensor, "B 3 Y X"]) -> Float[Tensor, "B M"]:
        """One vector for each picture that is normalised: the mean of its map."""
        return self.features(pixels).mean(dim=(2, 3))

    def forward(self, pixels: Tensor) -> Float[Tensor, "B M y x"]:
        """The map of pictures: uint8, or floats that are normalised."""
        return self.features(self.normalised(pixels))

    def pooled(self, pixels: Tensor) -> Float[Tensor, "B M"]:
        """One vector for each picture, likewise."""
        return self.pool(self.normalised(pixels))

    def normalised(self, pixels: Tensor) -> Float[Tensor, "B 3 Y X"]:
        """Floats around 0, channels last in memory, where convolutions are fastest on a CPU.

        Raises:
            ShapeError: pixels of another form.
        """
        if pixels.dim() != 4 or pixels.shape[1] != COLOURS:
            raise ShapeError(
                f"{type(self).__name__} needs pictures (B, 3, Y, X), got {tuple(pixels.shape)}"
            )
        if pixels.dtype == torch.uint8:
            pixels = normalised(pixels, self.config.mean, self.config.std)
        return pixels.contiguous(memory_format=torch.channels_last)


M = TypeVar("M", bound=nn.Module)


def channels_last(module: M) -> M:
    """The same, its convolutions' weights as they are fastest on a CPU."""
    for part in module.modules():
        if isinstance(part, nn.Conv2d):
            part.weight.data = part.weight.data.contiguous(memory_format=torch.channels_last)
    return module
