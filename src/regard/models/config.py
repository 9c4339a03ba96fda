"""What every model is built from: a frozen value that says everything."""

from typing import Annotated

from pydantic import Field, model_validator

from regard.config import Config as Config

Size = Annotated[int, Field(ge=1)]
"""A number of things, or a width."""
Probability = Annotated[float, Field(ge=0, lt=1)]
"""With which something is dropped."""


class ModelConfig(Config):
    """What every model needs to know, whatever it reads and writes.

    Each kind of model overrides ``kind`` by a literal, by which
    :func:`regard.models.config_from` knows what a stored config is of.
    """

    kind: str = ""
    """Which model this is the config of."""

    @property
    def longest(self) -> int | None:
        """Tokens of a sequence at most, its end included; ``None`` where none is the last."""
        return None


class PaddedConfig(ModelConfig):
    """What models of tokens need to know whose short sequences are filled up."""

    vocab: Size
    """Number of tokens."""
    pad: Annotated[int, Field(ge=0)] = 0
    """Token that fills up short sequences."""

    @model_validator(mode="after")
    def _pad_is_a_token(self) -> "PaddedConfig":
        if self.pad >= self.vocab:
            raise ValueError(f"pad needs to be one of {self.vocab} tokens, got {self.pad}")
        return self


class CopyConfig(Config):
    """Copy attention, see :class:`regard.models.copying.Copying`."""

    extension: Annotated[int, Field(ge=0)] = 0
    """Words of a source that the vocabulary lacks, and that can be copied all the same."""
    unknown: Annotated[int, Field(ge=0)] = 1
    """Token that they are read as."""


class Seq2SeqConfig(ModelConfig):
    """What all sequence-to-sequence models need to know."""

    source_vocab: Size
    """Number of source tokens."""
    target_vocab: Size
    """Number of target tokens."""
    pad: Annotated[int, Field(ge=0)] = 0
    """Token that fills up short sequences; it is never looked at."""
    tied: bool = False
    """Target embedding and output layer share one matrix."""
    shared: bool = False
    """Source and target embedding share one matrix too, with a joint vocabulary."""
    dropout: Probability = 0.1
    """Probability with which a feature is dropped in training."""

    copying: CopyConfig | None = None
    """Whether words of the source can be copied, with a joint vocabulary; ``{}`` copies those that
    the vocabulary has."""

    @model_validator(mode="after")
    def _vocabularies_fit(self) -> "Seq2SeqConfig":
        if self.pad >= min(self.source_vocab, self.target_vocab):
            raise ValueError(
                f"pad needs to be a token of both vocabularies, {self.source_vocab} and "
                f"{self.target_vocab} tokens, got {self.pad}"
            )
        if self.shared and self.source_vocab != self.target_vocab:
            raise ValueError(
                "shared embeddings need one joint vocabulary, got "
                f"{self.source_vocab} source and {self.target_vocab} target tokens"
            )
        if self.copying is not None and self.source_vocab != self.target_vocab:
            raise ValueError(
                "copying needs one joint vocabulary, got "
                f"{self.source_vocab} source and {self.target_vocab} target tokens"
            )
        return self
