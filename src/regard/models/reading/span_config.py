"""What readers of passages are built from."""

from typing import Annotated, Literal

from pydantic import Field

from ..config import Config, Probability, Size
from ..text.config import EncoderConfig, RecurrentEncoderConfig, TextConfig


class FlowConfig(Config):
    """Bidirectional attention flow: passage looks at question, and question at passage.

    Seo et al. 2017 (https://arxiv.org/abs/1611.01603).
    """

    kind: Literal["flow"] = "flow"


class CrossConfig(Config):
    """Layers in which the passage looks at the question with several heads."""

    kind: Literal["cross"] = "cross"
    num_heads: Size = 4
    """Heads of every attention."""
    num_layers: Size = 2
    """How many layers."""
    hidden_dim: Size = 256
    """Width inside the feed-forward layers."""


class FusionConfig(Config):
    """An LSTMN that reads the passage, and whose memory takes up that of the question.

    Cheng et al. 2016, section 4 (https://arxiv.org/abs/1601.06733). Read step by step: slow.
    """

    kind: Literal["fusion"] = "fusion"
    hidden_dim: Size = 128
    """Width of its states."""
    attention_dim: Size = 64
    """Width of the hidden layer of its scores."""


MatchingConfig = Annotated[FlowConfig | CrossConfig | FusionConfig, Field(discriminator="kind")]
"""Any way in which question and passage meet, told apart by ``kind``."""


class SpanReaderConfig(TextConfig):
    """A reader that answers with a span of the passage."""

    kind: Literal["span-reader"] = "span-reader"
    featured: bool = True
    """Whether it is told what the question has of each word of the passage."""
    aligned: bool = True
    """Whether each word of the passage has the words of the question beside it that are most like
    it (Chen et al. 2017, section 3.2, https://arxiv.org/abs/1704.00051)."""
    matching: MatchingConfig = FlowConfig()
    """How question and passage meet."""
    modelling: EncoderConfig = RecurrentEncoderConfig()
    """What reads the passage once it has seen the question."""
    dropout: Probability = 0.2
    """Probability with which a feature is dropped, from a whole passage at once."""
    longest_answer: Size = 20
    """Words of an answer at most."""
