"""What readers of stories are built from."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from ..config import Config, ModelConfig, Probability, Size
from ..text.config import EncoderConfig, PoolingConfig, RecurrentEncoderConfig

SentenceName = Literal["bag", "position", "encoder"]
Tying = Literal["adjacent", "layer-wise", "none"]
Update = Literal["add", "linear", "relu"]


class EmbeddedMemoryConfig(Config):
    """Memories that are sums of words, of other matrices in every hop: end-to-end memory networks.

    Sukhbaatar et al. 2015 (https://arxiv.org/abs/1503.08895).
    """

    kind: Literal["embedded"] = "embedded"
    sentence: Literal["bag", "position"] = "position"
    """Whether the words of a sentence are added up, or weighed by where they stand before."""
    tying: Tying = "adjacent"
    """Which matrices are one: those side by side (A of a hop is C of the one before, B of the
    question is the first A), those of all hops, or none."""
    reach: Size = 64
    """Ages of sentences that are told apart; older ones are as old as this."""


class EncodedMemoryConfig(Config):
    """Memories that are features of sentences, read word by word and side by side.

    Xiong et al. 2016 (https://arxiv.org/abs/1603.01417) call the second part input fusion.
    """

    kind: Literal["encoded"] = "encoded"
    words: EncoderConfig = RecurrentEncoderConfig(
        cell="gru", hidden_dim=128, num_layers=1, dropout=0.0
    )
    """What reads the words of a sentence."""
    pooling: PoolingConfig = PoolingConfig(kind="last")
    """How they become one vector."""
    context: EncoderConfig | None = None
    """What reads the sentences of a story and the question side by side; each for itself if not
    given."""
    reach: Size = 64
    """Ages of sentences that are told apart; older ones are as old as this."""


MemoryConfig = Annotated[EmbeddedMemoryConfig | EncodedMemoryConfig, Field(discriminator="kind")]
"""Any memory, told apart by ``kind``."""


class StoryReaderConfig(ModelConfig):
    """A reader that looks at the sentences of a story several times, then answers with a word."""

    kind: Literal["story-reader"] = "story-reader"
    vocab: Size
    """Number of words."""
    labels: Size
    """Number of answers."""
    pad: Annotated[int, Field(ge=0)] = 0
    """Word that fills up short sentences."""
    unknown: Annotated[int, Field(ge=0)] = 1
    """Word that stands for all that are not in the vocabulary."""
    dim: Size = 64
    """Width of memories, and of what is known after each hop."""
    memory: MemoryConfig = EncodedMemoryConfig()
    """How sentences become memories."""
    hops: Size = 3
    """How often it looks."""
    update: Update = "add"
    """How what was found joins what was known: u + o, H u + o, or relu(W [u; o; q])."""
    sentences: Size = 256
    """The most sentences of a story that are read, the last ones."""
    word_dropout: Probability = 0.0
    """Probability with which a word is read as the unknown one in training."""
    dropout: Probability = 0.1
    """Probability with which a feature is dropped."""
    age_noise: Probability = 0.0
    """Probability with which another sentence seems to stand before one in training, so that ages
    of longer stories are learned from shorter ones."""

    @model_validator(mode="after")
    def _fits(self) -> "StoryReaderConfig":
        if max(self.pad, self.unknown) >= self.vocab:
            raise ValueError(f"pad and unknown need to be among the {self.vocab} words")
        if self.update == "linear" and getattr(self.memory, "tying", "") == "adjacent":
            raise ValueError(
                "the update 'linear' is of layer-wise tying; adjacent tying adds: choose 'add'"
            )
        return self
