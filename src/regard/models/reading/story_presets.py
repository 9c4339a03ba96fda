"""Readers of stories with everything chosen but their sizes."""

from ..text.config import RecurrentEncoderConfig, TransformerEncoderConfig
from .story_config import EmbeddedMemoryConfig, EncodedMemoryConfig, StoryReaderConfig


def memory_network(*, vocab: int, labels: int) -> StoryReaderConfig:
    """End-to-end memory network as published: three hops, sums of words, adjacent tying."""
    return StoryReaderConfig(
        vocab=vocab,
        labels=labels,
        dim=50,
        memory=EmbeddedMemoryConfig(),
        age_noise=0.1,
        dropout=0.0,
    )


def story_reader(*, vocab: int, labels: int) -> StoryReaderConfig:
    """Sentences read word by word, then side by side by a Transformer; three hops over them."""
    return StoryReaderConfig(
        vocab=vocab,
        labels=labels,
        dim=96,
        memory=EncodedMemoryConfig(
            words=RecurrentEncoderConfig(cell="gru", hidden_dim=96, num_layers=1, dropout=0.0),
            context=TransformerEncoderConfig(
                model_dim=96,
                num_heads=4,
                num_layers=3,
                hidden_dim=192,
                position="relative",
                reach=32,
                dropout=0.1,
            ),
        ),
        update="relu",
        age_noise=0.0,
        dropout=0.1,
    )
