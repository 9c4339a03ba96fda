"""What every language model needs to know."""

from ..config import ModelConfig, Probability, Size


class LanguageConfig(ModelConfig):
    """What every language model needs to know."""

    vocab: Size
    """Number of tokens."""
    tied: bool = True
    """Embedding and output layer share one matrix."""
    dropout: Probability = 0.0
    """Probability with which a feature is dropped in training."""
