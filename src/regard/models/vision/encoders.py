"""Encoders of pictures by the kind of their config."""

from typing import Annotated

from pydantic import Field

from regard.registry import Registry

from .cct import CCT, CCTConfig
from .cnn import CNN, CNNConfig
from .encoder import PictureConfig, PictureEncoder
from .residual_attention import ResidualAttentionConfig, ResidualAttentionNetwork
from .vit import ViT, ViTConfig

EncoderConfig = Annotated[
    CNNConfig | ResidualAttentionConfig | ViTConfig | CCTConfig, Field(discriminator="kind")
]
"""Any encoder of pictures, told apart by ``kind``."""

ENCODERS: Registry[type[PictureEncoder]] = Registry("encoder of pictures")
ENCODERS.add("cnn", CNN)
ENCODERS.add("residual-attention", ResidualAttentionNetwork)
ENCODERS.add("vit", ViT)
ENCODERS.add("cct", CCT)


def build_encoder(config: PictureConfig) -> PictureEncoder:
    """A new encoder: the contract of :class:`PictureEncoder`, whatever is inside."""
    made: PictureEncoder = ENCODERS[config.kind](config)  # type: ignore[attr-defined]
    return made
