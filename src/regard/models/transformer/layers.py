"""The blocks of a Transformer: sublayers, each with a path around it."""

from typing import NamedTuple

from torch import nn

from regard.functional.masks import Mask
from regard.nn import Cache, CrossCache, MultiHeadAttention
from regard.nn.position import Position
from regard.types import Float, Tensor

from .config import TransformerConfig
from .feed_forward import FeedForward
from .positions import attended
from .residual import Residual, residual
from .rows import Rows


def heads(
    config: TransformerConfig, *, mask: str | None = None, position: Position | None = None
) -> MultiHeadAttention:
    """One attention as the config has them."""
    return MultiHeadAttention(
        config.model_dim,
        config.num_heads,
        num_key_heads=config.num_key_heads,
        score=config.score,
        normalise=config.normalise,
        mask=mask,
        position=position,
        dropout=config.attention_dropout,
    )


def feed_forward(config: TransformerConfig) -> FeedForward:
    """One feed-forward sublayer as the config has them."""
    return FeedForward(
        model_dim=config.model_dim,
        hidden_dim=config.hidden_dim,
        activation=config.activation,
        dropout=config.activation_dropout,
    )


def around(config: TransformerConfig) -> Residual:
    """The path around one sublayer as the config has them."""
    return residual(config.norm, config.model_dim, dropout=config.dropout)


class EncoderLayer(nn.Module):
    """Self-attention, then what every position computes for itself.

    Vaswani et al. 2017, section 3.1 (https://arxiv.org/abs/1706.03762).
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.attention = heads(config, position=attended(config, causal=False))
        self.around_attention = around(config)
        self.feed_forward = feed_forward(config)
        self.around_feed_forward = around(config)

    def forward(
        self, x: Float[Tensor, "*R M"], rows: Rows, mask: Mask | None = None
    ) -> Float[Tensor, "*R M"]:
        """The states above ``x``.

        Args:
            x: states, in the packed layout.
            rows: the layouts of the batch.
            mask: which keys may be looked at.
        """
        entered = rows.padded(self.around_attention.enter(x))
        found = rows.packed(self.attention(entered, mask=mask))
        return self.computed(self.around_attention.leave(x, found))

    def computed(self, x: Float[Tensor, "*R M"]) -> Float[Tensor, "*R M"]:
        """What every position computes for itself, with the path around it."""
        computed = self.feed_forward(self.around_feed_forward.enter(x))
        return self.around_feed_forward.leave(x, computed)


class Asked(NamedTuple):
    """States above a decoder layer, and what its cross-attention looked at the source with."""

    states: Float[Tensor, "*R M"]
    query: Float[Tensor, "B T M"]


class Stepped(NamedTuple):
    """The same for one step, with the cache for the next."""

    states: Float[Tensor, "B 1 M"]
    query: Float[Tensor, "B 1 M"]
    cache: Cache


class DecoderLayer(nn.Module):
    """Causal self-attention, a look at the source, then what every position computes for itself.

    Vaswani et al. 2017, section 3.1 (https://arxiv.org/abs/1706.03762).
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        position = attended(config, causal=True)
        self.attention = heads(config, mask="causal", position=position)
        self.around_attention = around(config)
        self.cross = heads(config)
        self.around_cross = around(config)
        self.feed_forward = feed_forward(config)
        self.around_feed_forward = around(config)

    def forward(
        self, x: Float[Tensor, "*R M"], rows: Rows, memory: CrossCache, mask: Mask | None = None
    ) -> Asked:
        """The states above ``x``, all positions at once.

        Args:
            x: states, in the packed layout.
            rows: the layouts of the batch.
            memory: what ``cross.prepare`` made of the encoder's states.
            mask: which of them may be looked at.
        """
        entered = rows.padded(self.around_attention.enter(x))
        x = self.around_attention.leave(x, rows.packed(self.attention(entered)))
        query = rows.padded(self.around_cross.enter(x))
        x = self.around_cross.leave(x, rows.packed(self.cross(query, memory, mask=mask)))
        return Asked(self.computed(x), query)

    def step(self, x: Float[Tensor, "B 1 M"], cache: Cache | None, memory: CrossCache) -> Stepped:
        """The state above the next position."""
        found, grown = self.attention.step(self.around_attention.enter(x), cache)
        assert isinstance(grown, Cache)
        x = self.around_attention.leave(x, found)
        query = self.around_cross.enter(x)
        x = self.around_cross.leave(x, self.cross(query, memory))
        return Stepped(self.computed(x), query, grown)

    def computed(self, x: Float[Tensor, "*R M"]) -> Float[Tensor, "*R M"]:
        """What every position computes for itself, with the path around it."""
        computed = self.feed_forward(self.around_feed_forward.enter(x))
        return self.around_feed_forward.leave(x, computed)
