"""Autoencoders with everything chosen but the sizes of what they read."""

from ..config import ModelConfig
from ..text.config import (
    EmbeddingConfig,
    EncoderConfig,
    PoolingConfig,
    RecurrentEncoderConfig,
    TransformerEncoderConfig,
)
from ..vision.classifier_presets import GREY, SIDE, SPREAD, Colours
from ..vision.cnn import CNNConfig
from ..vision.vit import ViTConfig
from .config import (
    LatentDecoderConfig,
    RecurrentDecoderConfig,
    TextAutoencoderConfig,
    TransformerDecoderConfig,
)
from .pictures import PictureAutoencoderConfig

TINY = 16
"""Pixels of a side, up to which nothing is made smaller at once."""


def autoencoder(
    *,
    vocab: int = 0,
    height: int = SIDE,
    width: int = SIDE,
    mean: Colours = GREY,
    std: Colours = SPREAD,
) -> ModelConfig:
    """A ``gru-autoencoder`` where there are tokens, else a ``cnn-autoencoder``."""
    if vocab:
        return gru_autoencoder(vocab=vocab)
    return cnn_autoencoder(height=height, width=width, mean=mean, std=std)


def gru_autoencoder(*, vocab: int) -> TextAutoencoderConfig:
    """GRUs in both directions, pooled by attention, and a GRU that sees the latent in each step."""
    return _text(vocab, RecurrentEncoderConfig(cell="gru", hidden_dim=512, num_layers=1))


def lstm_autoencoder(*, vocab: int) -> TextAutoencoderConfig:
    """The same with LSTMs."""
    encoder = RecurrentEncoderConfig(cell="lstm", hidden_dim=512, num_layers=1)
    return _text(vocab, encoder, RecurrentDecoderConfig(cell="lstm"))


def transformer_autoencoder(*, vocab: int) -> TextAutoencoderConfig:
    """Two layers of a Transformer, pooled by a token before the text, and two that look at it."""
    encoder = TransformerEncoderConfig(num_layers=2, hidden_dim=512, dropout=0.0)
    decoder = TransformerDecoderConfig(hidden_dim=512, dropout=0.0)
    return _text(vocab, encoder, decoder, PoolingConfig(kind="class_token"))


def _text(
    vocab: int,
    encoder: EncoderConfig,
    decoder: LatentDecoderConfig | None = None,
    pooling: PoolingConfig | None = None,
) -> TextAutoencoderConfig:
    """Nothing is dropped: what is to come back has to be read."""
    return TextAutoencoderConfig(
        vocab=vocab,
        embedding=EmbeddingConfig(dropout=0.0),
        encoder=encoder,
        pooling=pooling or PoolingConfig(),
        decoder=decoder or RecurrentDecoderConfig(),
    )


def cnn_autoencoder(
    *, height: int = SIDE, width: int = SIDE, mean: Colours = GREY, std: Colours = SPREAD
) -> PictureAutoencoderConfig:
    """A small residual network, and as many convolutions back."""
    tiny = max(height, width) <= TINY
    encoder = CNNConfig(
        height=height,
        width=width,
        mean=mean,
        std=std,
        stem=16,
        widths=(32, 48),
        blocks=(1, 1),
        strides=(1, 2) if tiny else (2, 2),
    )
    return PictureAutoencoderConfig(encoder=encoder, widths=(48, 32) if tiny else (64, 48, 32))


def vit_autoencoder(
    *, height: int = SIDE, width: int = SIDE, mean: Colours = GREY, std: Colours = SPREAD
) -> PictureAutoencoderConfig:
    """Attention among patches, and convolutions back."""
    tiny = max(height, width) <= TINY
    encoder = ViTConfig(
        height=height,
        width=width,
        mean=mean,
        std=std,
        patch_size=2 if tiny else 4,
        num_layers=3,
        num_heads=3,
        pooling="mean",
    )
    return PictureAutoencoderConfig(encoder=encoder, widths=(48, 32) if tiny else (64, 48, 32))
