"""What encoders of text are built from, and what every model around one needs to know."""

from typing import Annotated, Literal

from pydantic import Field, model_validator
from torch.nn.functional import pad

from regard.types import Int, Tensor

from ..choices import Directions, NormaliserName
from ..config import Config, ModelConfig, Probability, Size
from ..transformer.config import TransformerConfig
from ..transformer.layers_config import LayersConfig

EncoderCell = Literal["rnn", "lstm", "gru", "mut1", "mut2", "mut3", "lstmn"]
"""A cell of :mod:`regard.cells`; the first three run in torch's kernels."""


class RecurrentEncoderConfig(Config):
    """Layers of a recurrent cell, read one way or both."""

    kind: Literal["recurrent"] = "recurrent"
    cell: EncoderCell = "lstm"
    """Which cell: ``rnn``, ``lstm``, ``gru``, ``mut1``, ``mut2``, ``mut3`` or ``lstmn``."""
    hidden_dim: Size = 256
    """Width of the features; each of two directions has half of it."""
    num_layers: Size = 2
    """How many layers."""
    directions: Directions = "both"
    """Whether it reads to the right, or both ways."""
    dropout: Probability = 0.3
    """Probability with which a feature is dropped between layers, from a whole sentence at once."""

    @model_validator(mode="after")
    def _halves_fit(self) -> "RecurrentEncoderConfig":
        if self.directions == "both" and self.hidden_dim % 2:
            raise ValueError(f"reading both ways needs an even hidden_dim, got {self.hidden_dim}")
        return self


class TransformerEncoderConfig(LayersConfig):
    """The encoder of Vaswani et al. 2017, of the layers of :mod:`regard.models.transformer`."""

    kind: Literal["transformer"] = "transformer"
    num_layers: Size = 3
    """How many layers."""
    max_length: Size = 1024
    """Longest sequence that learned positions have vectors for."""
    input_norm: bool = False
    """Whether vectors with their positions are normalised before the first layer, as BERT's are."""
    dropout: Probability = 0.1
    """Of what the sublayers add."""

    @property
    def layers(self) -> TransformerConfig:
        """The same as layers of a Transformer read it."""
        own = {name: getattr(self, name) for name in type(self).model_fields}
        num_layers = own.pop("num_layers")
        del own["input_norm"]
        fields = own | {"kind": "transformer", "encoder_layers": num_layers}
        return TransformerConfig(source_vocab=1, target_vocab=1, **fields)


class ConvEncoderConfig(Config):
    """Gated convolutions over the sequence, each with a path around it; as wide as its input.

    Gehring et al. 2017, section 3.2 (https://arxiv.org/abs/1705.03122).
    """

    kind: Literal["conv"] = "conv"
    hidden_dim: Size = 256
    """Channels of the convolutions."""
    num_layers: Size = 4
    """How many convolutions; a token sees ``num_layers · (kernel − 1)/2`` others on either side."""
    kernel: Size = 3
    """Positions that one of them sees; odd, so that it has a middle."""
    dropout: Probability = 0.2
    """Probability with which a feature of a convolution's input is dropped."""

    @model_validator(mode="after")
    def _has_a_middle(self) -> "ConvEncoderConfig":
        if self.kernel % 2 == 0:
            raise ValueError(f"kernel needs to be odd, got {self.kernel}")
        return self


EncoderConfig = Annotated[
    RecurrentEncoderConfig | TransformerEncoderConfig | ConvEncoderConfig,
    Field(discriminator="kind"),
]
"""Any encoder, told apart by ``kind``."""

PoolingName = Literal["last", "mean", "max", "attention", "class_token", "pooler"]
FRAMED = ("class_token", "pooler")
"""Poolings that look at a token put before the sequence."""


class PoolingConfig(Config):
    """How the features of a sequence become one vector."""

    kind: PoolingName = "attention"
    """The last state (of either direction), the mean, the maximum of each feature, a mean weighed
    by additive attention, or the feature of a token put before the sequence, as it is or through
    BERT's pooler."""
    attention_dim: Size = 64
    """Width of the hidden layer of the attention's score."""
    normalise: NormaliserName = "softmax"
    """How its scores become weights."""


class SpellingConfig(Config):
    """A vector for every word from its characters: an encoder over them, pooled."""

    dim: Size = 32
    """Width of the characters' embeddings."""
    encoder: EncoderConfig = RecurrentEncoderConfig(hidden_dim=128, num_layers=1, dropout=0.0)
    """What reads a word's characters."""
    pooling: PoolingConfig = PoolingConfig(kind="last")
    """How they become one vector."""


class EmbeddingConfig(Config):
    """From tokens to vectors."""

    dim: Size = 128
    """Width of the tokens' embeddings."""
    factor: Annotated[float, Field(gt=0)] | None = None
    """What the tokens' vectors are multiplied with; the root of their width if not given."""
    segments: Annotated[int, Field(ge=0)] = 0
    """Kinds of text that a token can belong to, each with a vector that is added: BERT's token
    types. A text is of the first kind if nothing is said."""
    dropout: Probability = 0.3
    """Probability with which a feature of the vectors is dropped, from a whole sentence at once."""
    word_dropout: Probability = 0.0
    """Probability with which a token is read as the unknown one in training; its characters stay.
    """
    spelling: SpellingConfig | None = None
    """Vectors of the words' characters beside those of words; without them if not given."""


class TextConfig(ModelConfig):
    """What every model around an encoder of text needs to know."""

    vocab: Size
    """Number of tokens: words, parts of words or characters."""
    characters: Annotated[int, Field(ge=0)] = 0
    """Number of characters that words are spelled with; 0 where they are not looked at."""
    pad: Annotated[int, Field(ge=0)] = 0
    """Token, and character, that fills up short sequences."""
    unknown: Annotated[int, Field(ge=0)] = 1
    """Token that stands for all that are not in the vocabulary."""
    start: Annotated[int, Field(ge=0)] = 2
    """Token that stands before a sequence, where one is pooled."""
    end: Annotated[int, Field(ge=0)] | None = None
    """Token that stands behind it, as BERT's ``[SEP]``; none if not given."""
    embedding: EmbeddingConfig = EmbeddingConfig()
    """From tokens to vectors."""
    encoder: EncoderConfig = RecurrentEncoderConfig()
    """From vectors to features."""

    @property
    def longest(self) -> int | None:
        """As many tokens as learned positions have vectors."""
        learned = getattr(self.encoder, "position", "") == "learned"
        return getattr(self.encoder, "max_length", None) if learned else None

    @property
    def around(self) -> int:
        """Tokens that stand around a text, where one is read as a whole."""
        return 1 if self.end is None else 2

    def framed(
        self, tokens: Int[Tensor, "B N"], lengths: Int[Tensor, " B"]
    ) -> tuple[Int[Tensor, "B n"], Int[Tensor, " B"]]:
        """Texts with the tokens that stand before and behind them, and how long they are then."""
        if self.end is None:
            return pad(tokens, (1, 0), value=self.start), lengths + 1
        framed = pad(pad(tokens, (1, 0), value=self.start), (0, 1), value=self.pad)
        ends = (lengths + 1).unsqueeze(-1)
        return framed.scatter(1, ends, self.end), lengths + 2

    @model_validator(mode="after")
    def _special_tokens_exist(self) -> "TextConfig":
        highest = max(self.pad, self.unknown, self.start, self.end or 0)
        if highest >= self.vocab:
            raise ValueError(
                f"pad, unknown, start and end need to be among the {self.vocab} tokens of the "
                f"vocabulary, got {highest}"
            )
        if self.embedding.spelling is not None and not self.characters:
            raise ValueError(
                "embedding.spelling needs characters: how many there are; leave spelling out, or "
                "use a codec of words with characters"
            )
        return self
