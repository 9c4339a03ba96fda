"""Readers of passages with everything chosen but their sizes."""

from typing import Any

from ..text.config import (
    ConvEncoderConfig,
    EmbeddingConfig,
    PoolingConfig,
    RecurrentEncoderConfig,
    SpellingConfig,
)
from .span_config import CrossConfig, FlowConfig, FusionConfig, SpanReaderConfig


def flow_reader(*, vocab: int, characters: int = 0) -> SpanReaderConfig:
    """Bidirectional attention flow over GRUs, with words, characters and features."""
    return _reader(vocab, characters, FlowConfig())


def cross_reader(*, vocab: int, characters: int = 0) -> SpanReaderConfig:
    """The same with two layers of cross-attention."""
    return _reader(vocab, characters, CrossConfig())


def fusion_reader(*, vocab: int, characters: int = 0) -> SpanReaderConfig:
    """The same with an LSTMN whose memory takes up that of the question: slow."""
    return _reader(vocab, characters, FusionConfig())


def _reader(vocab: int, characters: int, chosen: Any) -> SpanReaderConfig:
    """Without characters words are not spelled."""
    spelling = SpellingConfig(
        dim=48,
        encoder=ConvEncoderConfig(hidden_dim=48, num_layers=1, kernel=5, dropout=0.0),
        pooling=PoolingConfig(kind="max"),
    )
    return SpanReaderConfig(
        vocab=vocab,
        characters=characters,
        embedding=EmbeddingConfig(
            dim=128,
            dropout=0.3,
            word_dropout=0.02,
            spelling=spelling if characters else None,
        ),
        encoder=RecurrentEncoderConfig(cell="gru", hidden_dim=160, num_layers=1),
        matching=chosen,
        modelling=RecurrentEncoderConfig(cell="gru", hidden_dim=160, num_layers=2, dropout=0.2),
    )
