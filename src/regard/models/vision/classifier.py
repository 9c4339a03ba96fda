"""A label for a picture."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import model_validator
from torch import nn

from regard.types import Float, Tensor

from ..config import ModelConfig, Probability, Size
from ..dropout import Dropout
from .cnn import CNNConfig
from .encoder import PictureConfig
from .encoders import EncoderConfig, build_encoder


class PictureClassifierConfig(ModelConfig):
    """A classifier around any encoder of pictures."""

    kind: Literal["picture-classifier"] = "picture-classifier"
    labels: Size
    """Number of labels."""
    encoder: EncoderConfig = CNNConfig()
    """From pixels to features."""
    dropout: Probability = 0.0
    """Probability with which a feature is dropped before the output layer."""

    @model_validator(mode="before")
    @classmethod
    def _sizes_are_the_encoders(cls, value: Any) -> Any:
        """Size and colours of pictures, said of the classifier, are said of its encoder."""
        return told_to_encoder(value)


def told_to_encoder(value: Any) -> Any:
    """Fields of a model of pictures, size and colours among them moved to its ``encoder``."""
    if not isinstance(value, Mapping):
        return value
    sizes = {name: value[name] for name in PictureConfig.model_fields if name in value}
    if not sizes:
        return value
    rest = {name: one for name, one in value.items() if name not in sizes}
    encoder = rest.get("encoder", CNNConfig())
    told = encoder if isinstance(encoder, Mapping) else encoder.model_dump()
    return rest | {"encoder": {**told, **sizes}}


class PictureClassifier(nn.Module):
    r"""A distribution over labels for a picture.

    .. math:: p(y \mid x) = \text{softmax}(W \, \text{pool}(\text{encoder}(x)) + b)

    He et al. 2016 (https://arxiv.org/abs/1512.03385), whose encoder is the usual one.
    """

    def __init__(self, config: PictureClassifierConfig) -> None:
        super().__init__()
        self.config = config
        self.encoder = build_encoder(config.encoder)
        self.dropout = Dropout(config.dropout)
        self.output = nn.Linear(self.encoder.output_dim, config.labels)
        nn.init.zeros_(self.output.bias)

    def forward(self, pixels: Tensor) -> Float[Tensor, "B V"]:
        """Logits of the labels.

        Args:
            pixels: (B, 3, Y, X), uint8, or floats that are normalised.
        """
        return self.output(self.dropout(self.encoder.pooled(pixels)))
