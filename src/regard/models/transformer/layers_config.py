"""What layers of attention and feed-forward networks are built from, in whatever model."""

from typing import Annotated, TypeVar

from pydantic import Field, model_validator

from regard.positions.rotary import Layout
from regard.positions.rotary_scaling import AnyRotaryScaling

from ..config import Config, Probability, Size
from .choices import NormaliserChoice, ScoreChoice
from .feed_forward import ActivationName
from .positions import PositionName
from .residual import EPSILON, NormName, NormPlace

C = TypeVar("C", bound="LayersConfig")


class LayersConfig(Config):
    """Layers of a Transformer (Vaswani et al. 2017, https://arxiv.org/abs/1706.03762).

    Theirs → ours: d_model → ``model_dim``, d_ff → ``hidden_dim``, h → ``num_heads``.
    """

    model_dim: Size = 256
    """Width between the layers."""
    num_heads: Size = 4
    """Heads of every attention."""
    num_key_heads: Size | None = None
    """Heads of keys and values, shared by groups of query heads; as many as these if not given."""
    head_dim: Size | None = None
    """Width of a head; all of them are as wide as the layers together if not given."""
    hidden_dim: Size = 1024
    """Width inside the feed-forward layers."""
    norm: NormPlace = "pre"
    """Whether a sublayer's sum is normalised behind it, or its input before it."""
    norm_kind: NormName = "layer"
    """Which norm: of mean and variance, or of the root mean square."""
    norm_eps: Annotated[float, Field(gt=0)] = EPSILON
    """What is added to the variance, so that nothing is divided by zero."""
    bias: bool = True
    """Whether linear maps inside the layers have one."""
    head_bias: bool | None = None
    """Whether the maps into the heads have one; as bias if not given."""
    query_key_norm: bool = False
    """Whether queries and keys of every head are normalised, by the same kind of norm."""
    activation: ActivationName = "relu"
    """Non-linearity of the feed-forward layers."""
    position: PositionName = "sinusoidal"
    """How a token knows where it stands."""
    reach: Size = 16
    """Farthest distance that relative and shaw positions tell apart."""
    wave_layout: Layout = "pairs"
    """Whether sines and cosines of sinusoidal positions take turns, or stand in two halves."""
    rotary_base: Annotated[float, Field(gt=1)] = 10000.0
    """Of the wave lengths of rotary positions: RoPE's theta."""
    rotary_scaling: Annotated[AnyRotaryScaling, Field(discriminator="kind")] | None = None
    """How rotary positions reach farther than they were trained to."""
    buckets: Annotated[int, Field(ge=4)] = 32
    """Distances that T5's positions tell apart."""
    farthest: Size = 128
    """Distance from which on all are one to T5's positions."""
    score: ScoreChoice = "scaled_dot"
    """How well a key fits a query."""
    normalise: NormaliserChoice = "softmax"
    """How scores become weights."""
    attention_dropout: Probability = 0.0
    """Of attention weights."""
    activation_dropout: Probability = 0.0
    """Of features inside the feed-forward layers."""

    @property
    def width_of_head(self) -> int:
        """Features of one head."""
        return self.head_dim or self.model_dim // self.num_heads

    @model_validator(mode="after")
    def _heads_fit(self: C) -> C:
        key_heads = self.num_heads if self.num_key_heads is None else self.num_key_heads
        if self.head_dim is None and self.model_dim % self.num_heads:
            raise ValueError(
                f"num_heads needs to divide model_dim {self.model_dim}, got {self.num_heads}"
            )
        if self.num_heads % key_heads:
            raise ValueError(
                f"num_key_heads needs to divide num_heads {self.num_heads}, got {key_heads}"
            )
        if self.position == "rotary" and self.width_of_head % 2:
            raise ValueError(
                "rotary positions need heads of an even width, got "
                f"{self.width_of_head}; choose another number of heads"
            )
        return self
