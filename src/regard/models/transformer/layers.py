"""The blocks of a Transformer: sublayers, each with a path around it."""

from typing import Any, NamedTuple

from torch import nn

from regard.functional import masks
from regard.functional.masks import Mask
from regard.functional.tensors import spread
from regard.functional.weigh import weigh
from regard.nn import Cache, CrossCache, MultiHeadAttention, Scorer
from regard.nn.heads import split_heads
from regard.nn.multihead.projections import JointProjection, NormedProjection
from regard.nn.position import Position
from regard.types import Float, Tensor

from .config import TransformerConfig
from .feed_forward import FeedForward
from .layers_config import LayersConfig
from .padding import Rows
from .positions import attended
from .residual import Residual, norm_of, residual


def heads(
    config: LayersConfig, *, mask: Mask | str | None = None, position: Position | None = None
) -> MultiHeadAttention:
    """One attention as the config has them."""
    attention = MultiHeadAttention(
        config.model_dim,
        config.num_heads,
        num_key_heads=config.num_key_heads,
        head_dim=config.head_dim,
        score=config.score,
        normalise=config.normalise,
        mask=mask,
        position=position,
        dropout=config.attention_dropout,
        bias=config.bias if config.head_bias is None else config.head_bias,
        output_bias=config.bias,
    )
    if config.query_key_norm:
        width = attention.head_dim
        norms = (norm_of(config.norm_kind, width, config.norm_eps) for _ in range(2))
        maps = attention.in_proj
        assert isinstance(maps, JointProjection)
        attention.in_proj = NormedProjection(maps, *norms, head_dim=width)
    return attention


def feed_forward(config: LayersConfig) -> FeedForward:
    """One feed-forward sublayer as the config has them."""
    return FeedForward(
        model_dim=config.model_dim,
        hidden_dim=config.hidden_dim,
        activation=config.activation,
        dropout=config.activation_dropout,
        bias=config.bias,
    )


class Layer(nn.Module):
    """What layers of both stacks end with: the feed-forward sublayer and the path around it."""

    feed_forward: FeedForward
    around_feed_forward: Residual

    def computed(self, x: Float[Tensor, "*R M"]) -> Float[Tensor, "*R M"]:
        """What every position computes for itself, with the path around it."""
        computed = self.feed_forward(self.around_feed_forward.enter(x))
        return self.around_feed_forward.leave(x, computed)


class EncoderLayer(Layer):
    """Self-attention, then what every position computes for itself.

    Vaswani et al. 2017, section 3.1 (https://arxiv.org/abs/1706.03762).
    """

    def __init__(self, config: TransformerConfig, position: Position | None = None) -> None:
        super().__init__()
        own = attended(config, causal=False) if position is None else position
        self.attention = heads(config, position=own)
        self.around_attention = residual(config)
        self.feed_forward = feed_forward(config)
        self.around_feed_forward = residual(config)

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


class LayerOutput(NamedTuple):
    """States above a decoder layer, and what its cross-attention looked at the source with."""

    states: Float[Tensor, "*R M"]
    query: Float[Tensor, "*Q M"]


class LayerStep(NamedTuple):
    """The same for one step, with the KV cache for the next."""

    states: Float[Tensor, "B 1 M"]
    query: Float[Tensor, "B 1 M"]
    cache: Cache


class DecoderLayer(Layer):
    """Causal self-attention, a look at the source, then what every position computes for itself.

    Vaswani et al. 2017, section 3.1 (https://arxiv.org/abs/1706.03762).
    """

    def __init__(self, config: TransformerConfig, position: Position | None = None) -> None:
        super().__init__()
        own = attended(config, causal=True) if position is None else position
        self.attention = heads(config, mask="causal", position=own)
        self.around_attention = residual(config)
        self.cross = heads(config)
        self.around_cross = residual(config)
        self.feed_forward = feed_forward(config)
        self.around_feed_forward = residual(config)
        self._head = config.alignment_head

    def forward(
        self, x: Float[Tensor, "*R M"], rows: Rows, memory: CrossCache, mask: Mask | None = None
    ) -> LayerOutput:
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
        return LayerOutput(self.computed(x), query)

    def step(self, x: Float[Tensor, "B 1 M"], cache: Cache | None, memory: CrossCache) -> LayerStep:
        """The state above the next position."""
        found, grown = self.attention.step(self.around_attention.enter(x), cache)
        assert isinstance(grown, Cache)
        x = self.around_attention.leave(x, found)
        query = self.around_cross.enter(x)
        x = self.around_cross.leave(x, self.cross(query, memory))
        return LayerStep(self.computed(x), query, grown)

    def alignment(
        self, query: Float[Tensor, "B T M"], memory: CrossCache, mask: Mask | None = None
    ) -> Float[Tensor, "B T S"]:
        """The weights of the cross-attention: of the config's head, or the mean of all.

        Differentiable. Costs one map per head that is asked for, and the projection of the queries.

        Args:
            query: what it looked with.
            memory: what it looked at, prepared by it.
            mask: which keys may be looked at; those that the memory allows, if not given.
        """
        cross, head = self.cross, self._head
        if mask is None and memory.allowed is not None:
            mask = masks.padding(memory.allowed.sum(dim=-1))
        queries = split_heads(cross.in_proj.query(query), cross.num_heads)  # (B, H, T, D)
        groups = cross.num_heads // cross.num_key_heads
        score = cross.score() if isinstance(cross.score, Scorer) else cross.score
        if head == "mean":
            keys = spread(memory.key, groups)  # (B, H, S, D)
            weights = weigh(queries, keys, score=score, mask=mask, normalise=cross.normalise)
            return weights.mean(dim=1)  # (B, T, S)
        keys = memory.key[:, head // groups]  # (B, S, D)
        return weigh(queries[:, head], keys, score=score, mask=mask, normalise=cross.normalise)


def initialise(model: nn.Module, *, tied: Tensor) -> None:
    """Xavier-uniform matrices and zero biases.

    Queries, keys and values have theirs already, one by one; embeddings are normal with a standard
    deviation of 1/√M, so that they enter with 1.

    Args:
        model: all of it.
        tied: the embedding's matrix, which stays as it is where it is the output layer's too.
    """
    for module in model.modules():
        if isinstance(module, nn.Linear) and module.weight is not tied:
            nn.init.xavier_uniform_(module.weight)
            if module.bias is not None:
                nn.init.zeros_(module.bias)


def stack(
    layer: type[EncoderLayer | DecoderLayer],
    config: TransformerConfig,
    number: int,
    *,
    causal: bool,
) -> Any:
    """So many layers above each other; they may share a term of position.

    An ``nn.ModuleList``, which is no ``Sequence`` of layers to a checker of types: hence ``Any``.
    """
    position = attended(config, causal=causal) if config.position_shared else None
    return nn.ModuleList(layer(config, position) for _ in range(number))
