"""Taggers and classifiers with everything chosen but their sizes."""

from typing import Any

from .classifier import ClassifierConfig
from .config import (
    ConvEncoderConfig,
    EmbeddingConfig,
    PoolingConfig,
    RecurrentEncoderConfig,
    SpellingConfig,
    TransformerEncoderConfig,
)
from .tagger import TaggerConfig


def bilstm_tagger(*, vocab: int, labels: int, characters: int = 0) -> TaggerConfig:
    """Two layers of LSTMs in both directions over words and their characters."""
    return _tagger(vocab, labels, characters, RecurrentEncoderConfig(dropout=0.4))


def bigru_tagger(*, vocab: int, labels: int, characters: int = 0) -> TaggerConfig:
    """The same with GRUs."""
    return _tagger(vocab, labels, characters, RecurrentEncoderConfig(cell="gru", dropout=0.4))


def transformer_tagger(*, vocab: int, labels: int, characters: int = 0) -> TaggerConfig:
    """Two layers of a Transformer over words and their characters, positions by distance."""
    encoder = TransformerEncoderConfig(
        model_dim=192, num_layers=2, hidden_dim=512, position="shaw", dropout=0.2
    )
    return _tagger(vocab, labels, characters, encoder)


def conv_tagger(*, vocab: int, labels: int, characters: int = 0) -> TaggerConfig:
    """Three gated convolutions over words and their characters, which are convolved too."""
    spelling = SpellingConfig(
        dim=64,
        encoder=ConvEncoderConfig(hidden_dim=128, num_layers=2, dropout=0.0),
        pooling=PoolingConfig(kind="max"),
    )
    return _tagger(vocab, labels, characters, ConvEncoderConfig(num_layers=3), spelling)


def gru_classifier(*, vocab: int, labels: int, characters: int = 0) -> ClassifierConfig:
    """One layer of GRUs in both directions, pooled by additive attention."""
    return _classifier(vocab, labels, characters, RecurrentEncoderConfig(cell="gru", num_layers=1))


def lstm_classifier(*, vocab: int, labels: int, characters: int = 0) -> ClassifierConfig:
    """One layer of LSTMs in both directions, pooled by additive attention."""
    return _classifier(vocab, labels, characters, RecurrentEncoderConfig(num_layers=1))


def conv_classifier(*, vocab: int, labels: int, characters: int = 0) -> ClassifierConfig:
    """Two gated convolutions and the maximum over time."""
    encoder = ConvEncoderConfig(hidden_dim=128, num_layers=2)
    return _classifier(vocab, labels, characters, encoder, PoolingConfig(kind="max"))


def transformer_classifier(*, vocab: int, labels: int, characters: int = 0) -> ClassifierConfig:
    """Two layers of a Transformer, pooled by the token before the text."""
    encoder = TransformerEncoderConfig(model_dim=128, num_layers=2, hidden_dim=512, dropout=0.2)
    return _classifier(vocab, labels, characters, encoder, PoolingConfig(kind="class_token"))


def _tagger(
    vocab: int, labels: int, characters: int, encoder: Any, spelling: SpellingConfig | None = None
) -> TaggerConfig:
    """Without characters words are not spelled."""
    chosen = (spelling or SpellingConfig()) if characters else None
    return TaggerConfig(
        vocab=vocab,
        labels=labels,
        characters=characters,
        embedding=EmbeddingConfig(word_dropout=0.05, spelling=chosen),
        encoder=encoder,
    )


def _classifier(
    vocab: int, labels: int, characters: int, encoder: Any, pooling: PoolingConfig | None = None
) -> ClassifierConfig:
    return ClassifierConfig(
        vocab=vocab,
        labels=labels,
        characters=characters,
        embedding=EmbeddingConfig(dropout=0.5, word_dropout=0.05),
        encoder=encoder,
        pooling=pooling or PoolingConfig(),
        dropout=0.5,
    )
