"""A picture through one vector, and back."""

from typing import Any, Literal

import torch
from pydantic import Field, model_validator
from torch import nn

from regard.types import Float, Tensor

from ..config import ModelConfig, Size
from ..vision.classifier import told_to_encoder
from ..vision.cnn import CNNConfig
from ..vision.encoder import COLOURS
from ..vision.encoders import EncoderConfig, build_encoder
from .picture_decoder import PictureDecoder


class PictureAutoencoderConfig(ModelConfig):
    """Any encoder of pictures, one vector, and a decoder of convolutions."""

    kind: Literal["picture-autoencoder"] = "picture-autoencoder"
    latent: Size = 256
    """Numbers that a picture has to pass through."""
    encoder: EncoderConfig = CNNConfig()
    """From pixels to features: convolutions, or attention among patches."""
    pooling: Literal["flatten", "encoder"] = "flatten"
    """What the latent is a map of: all places of the encoder's map, in their order, or the one
    vector that the encoder pools them to."""
    widths: tuple[Size, ...] = Field(default=(64, 48, 32), min_length=1)
    """Channels of the decoder's stages, from the smallest map to the largest, each twice as large
    as the one before."""

    @model_validator(mode="before")
    @classmethod
    def _sizes_are_the_encoders(cls, value: Any) -> Any:
        """Size and colours of pictures, said of the autoencoder, are said of its encoder."""
        return told_to_encoder(value)

    @property
    def size(self) -> tuple[int, int]:
        """Height and width of the pictures."""
        return self.encoder.height, self.encoder.width


class PictureAutoencoder(nn.Module):
    r"""An encoder, one vector, and a decoder that knows of the picture what the vector holds.

    .. math:: z = W \, \text{flat}(\text{encoder}(\tilde x)) + b, \quad \hat x = \text{decoder}(z)

    Hinton and Salakhutdinov 2006 (https://doi.org/10.1126/science.1127647); where
    :math:`\tilde x` is x with noise, Vincent et al. 2010
    (https://jmlr.org/papers/v11/vincent10a.html). It reads pictures of one size, as it writes them.

    >>> latent = model.encode(pixels)            # (B, Z) of uint8, or of floats that are normalised
    >>> colours = model.decode(latent)           # (B, 3, Y, X), from 0 to 1
    """

    def __init__(self, config: PictureAutoencoderConfig) -> None:
        super().__init__()
        self.config = config
        self.encoder = build_encoder(config.encoder)
        places = 1 if config.pooling == "encoder" else self._places()
        self.latent = nn.Linear(places * self.encoder.output_dim, config.latent)
        nn.init.zeros_(self.latent.bias)
        height, width = config.size
        self.decoder = PictureDecoder(
            config.latent, height=height, width=width, widths=config.widths
        )

    def encode(self, pixels: Tensor) -> Float[Tensor, "B Z"]:
        """The vector of each picture."""
        if self.config.pooling == "encoder":
            return self.latent(self.encoder.pooled(pixels))
        return self.latent(self.encoder(pixels).flatten(1))

    def decode(self, latent: Float[Tensor, "B Z"]) -> Float[Tensor, "B 3 Y X"]:
        """The picture of each vector, colours from 0 to 1."""
        return self.decoder(latent)

    def forward(self, pixels: Tensor) -> Float[Tensor, "B 3 Y X"]:
        """Pictures, as they come back."""
        return self.decode(self.encode(pixels))

    def _places(self) -> int:
        """Places of the encoder's map, which it is asked for: no random number is drawn."""
        blank = torch.zeros(1, COLOURS, *self.config.size)
        with torch.no_grad():
            found = self.encoder.eval()(blank)[0, 0].numel()
        self.encoder.train()
        return found
