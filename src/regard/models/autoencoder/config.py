"""What autoencoders of text are built from."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from ..choices import CellName
from ..config import Config, Probability, Size
from ..text.config import PoolingConfig, TextConfig
from ..transformer.config import TransformerConfig
from ..transformer.layers_config import LayersConfig


class RecurrentDecoderConfig(Config):
    """Layers of a recurrent cell that see the latent in every step."""

    kind: Literal["recurrent"] = "recurrent"
    cell: CellName = "gru"
    """Which cell: ``rnn``, ``lstm`` or ``gru``."""
    embedding_dim: Size = 128
    """Width of the embeddings of what is written."""
    hidden_dim: Size = 512
    """Width of the states."""
    num_layers: Size = 1
    """How many layers."""
    dropout: Probability = 0.0
    """Probability with which a feature is dropped between layers, and before the output layer."""
    word_dropout: Probability = 0.0
    """Probability with which a token that was written is read as the unknown one in training, so
    that more has to come from the latent (Bowman et al. 2016, https://arxiv.org/abs/1511.06349)."""


class TransformerDecoderConfig(LayersConfig):
    """Layers that look at what is written, and at the latent as a few memory slots."""

    kind: Literal["transformer"] = "transformer"
    num_layers: Size = 2
    """How many layers."""
    slots: Size = 8
    """Vectors that the latent is expanded to, for the layers to look at."""
    max_length: Size = 1024
    """Longest sequence that learned positions have vectors for."""
    dropout: Probability = 0.1
    """Of what the sublayers add."""
    word_dropout: Probability = 0.0
    """Probability with which a token that was written is read as the unknown one in training."""

    def layers(self, vocab: int, pad: int) -> TransformerConfig:
        """The same as layers of a Transformer read it."""
        own: dict[str, Any] = {name: getattr(self, name) for name in LayersConfig.model_fields}
        return TransformerConfig(
            source_vocab=vocab,
            target_vocab=vocab,
            pad=pad,
            encoder_layers=1,
            decoder_layers=self.num_layers,
            max_length=self.max_length,
            dropout=self.dropout,
            **own,
        )


LatentDecoderConfig = Annotated[
    RecurrentDecoderConfig | TransformerDecoderConfig, Field(discriminator="kind")
]
"""Any decoder from a latent to text, told apart by ``kind``."""


class TextAutoencoderConfig(TextConfig):
    """An encoder of text, one vector, and a decoder back to the text."""

    kind: Literal["text-autoencoder"] = "text-autoencoder"
    latent: Size = 256
    """Numbers that a text has to pass through."""
    pooling: PoolingConfig = PoolingConfig()
    """How the features of a text become one vector, which is mapped to the latent."""
    decoder: LatentDecoderConfig = RecurrentDecoderConfig()
    """From the latent to text."""

    @property
    def longest(self) -> int | None:
        """As many tokens as encoder and decoder have positions for."""
        read, found = super().longest, []
        if read is not None:
            found.append(read - (self.pooling.kind == "class_token"))
        if getattr(self.decoder, "position", "") == "learned":
            found.append(getattr(self.decoder, "max_length", 0) - 1)  # the end is written too
        return min(found, default=None)

    @model_validator(mode="after")
    def _nothing_is_spelled(self) -> "TextAutoencoderConfig":
        if self.embedding.spelling is not None:
            raise ValueError("an autoencoder writes tokens and reads no spelling; leave it out")
        return self
