"""A Transformer whose words look at each other and at the regions of a picture."""

from typing import Literal

from torch import nn

from regard.functional import masks
from regard.functional.weigh import weigh
from regard.nn import AttentionPooling, MultiHeadAttention
from regard.nn.heads import split_heads
from regard.types import Float, Int, Tensor

from ..config import Size
from ..dropout import Dropout
from ..embedding import TokenEmbedding
from ..transformer.config import TransformerConfig
from ..transformer.layers import Layer, feed_forward, heads, initialise
from ..transformer.positions import joined
from ..transformer.residual import norm_of, residual
from .regions import Boxes, Seen
from .vqa import Answered, Answerer, AnswererConfig


class TransformerAnswererConfig(AnswererConfig):
    """Layers as those of Vaswani et al. 2017 (https://arxiv.org/abs/1706.03762), normalised first.

    Words look at regions as in the cross-modality layers of Tan and Bansal 2019
    (https://arxiv.org/abs/1908.07490); regions do not look back.
    """

    kind: Literal["vqa-transformer"] = "vqa-transformer"
    model_dim: Size = 192
    """Width between the layers."""
    num_heads: Size = 4
    """Heads of every attention."""
    layers: Size = 2
    """In each of which words look at words, then at regions."""
    hidden_dim: Size = 768
    """Width inside the feed-forward layers."""
    attention: Literal["cross", "none"] = "cross"
    """Whether words look at regions one by one, or the mean of all is added to each word."""

    def block(self) -> TransformerConfig:
        """The layers as a Transformer knows them."""
        return TransformerConfig(
            source_vocab=self.vocab,
            target_vocab=self.vocab,
            pad=self.pad,
            model_dim=self.model_dim,
            num_heads=self.num_heads,
            encoder_layers=self.layers,
            decoder_layers=self.layers,
            hidden_dim=self.hidden_dim,
            norm="pre",
            dropout=self.dropout,
        )


class CrossLayer(Layer):
    """Words look at words, both ways, then at regions, then compute for themselves."""

    def __init__(self, config: TransformerConfig, *, looks: bool) -> None:
        super().__init__()
        self.attention, self.around_attention = heads(config), residual(config)
        self.cross: MultiHeadAttention | None = heads(config) if looks else None
        self.around_cross = residual(config)
        self.feed_forward, self.around_feed_forward = feed_forward(config), residual(config)

    def forward(
        self, x: Float[Tensor, "B T M"], lengths: Int[Tensor, " B"], seen: Seen
    ) -> tuple[Float[Tensor, "B T M"], Float[Tensor, "B T M"]]:
        """The states above ``x``, and what they looked at regions with."""
        entered = self.around_attention.enter(x)
        x = self.around_attention.leave(x, self.attention(entered, mask=masks.padding(lengths)))
        query = self.around_cross.enter(x)
        if self.cross is not None:
            found = self.cross(query, self.cross.prepare(seen.features, seen.allowed))
            x = self.around_cross.leave(x, found)
        return self.computed(x), query

    def looks(self, query: Float[Tensor, "B T M"], seen: Seen) -> Float[Tensor, "B T K"]:
        """The mean of all heads' weights over the regions."""
        assert self.cross is not None
        cross = self.cross
        queries = split_heads(cross.in_proj.query(query), cross.num_heads)  # (B, H, T, D)
        keys = cross.prepare(seen.features, seen.allowed).key  # (B, H, K, D)
        allowed = None if seen.allowed is None else seen.allowed[:, None, None, :]
        mask = None if allowed is None else masks.dense(allowed)
        return weigh(queries, keys, mask=mask).mean(dim=1)


class TransformerAnswerer(Answerer):
    r"""Words look at each other and at regions; the answer is pooled from what they found.

    .. math:: x_0 = \sqrt M\, E w + P, \quad x_{l+1} = \text{layer}_l(x_l, v), \quad
              o = W_o \textstyle\sum_t \text{softmax}_t(u^\top x_{L,t})\, x_{L,t} + b

    Tan and Bansal 2019, section 2.2 (https://arxiv.org/abs/1908.07490) have such layers, whose
    regions look back at the words; here they do not. The pooling is
    :class:`regard.nn.AttentionPooling` by one learned query u.
    """

    config: TransformerAnswererConfig

    def __init__(self, config: TransformerAnswererConfig) -> None:
        super().__init__()
        self.config, block = config, config.block()
        width, looks = config.model_dim, config.attention == "cross"
        self.embedding = TokenEmbedding(config.vocab, width, pad=config.pad, factor=width**0.5)
        self.position, self.dropout = joined(block), Dropout(config.dropout)
        self.layers = nn.ModuleList(CrossLayer(block, looks=looks) for _ in range(config.layers))
        self.norm, self.pooling = norm_of("layer", width), AttentionPooling(width)
        self.output = nn.Linear(width, config.answers)
        initialise(self, tied=self.embedding.weight)
        self.regions = self.regions_of(config, width)

    def answer(
        self,
        pictures: Tensor,
        questions: Int[Tensor, "B T"],
        lengths: Int[Tensor, " B"],
        boxes: Boxes | None = None,
        owners: Int[Tensor, " B"] | None = None,
    ) -> Answered:
        """Logits of all answers, and how much each word looked at each region."""
        seen = self.regions(pictures, boxes).of(owners)
        x = self.dropout(self.position(self.embedding(questions)))
        if self.config.attention == "none":
            x = x + seen.mean().unsqueeze(1)
        query = x
        for layer in self.layers:
            x, query = layer(x, lengths, seen)
        states = self.norm(x)
        logits = self.output(self.pooling(states, lengths).squeeze(1))
        if self.config.attention == "none":
            return Answered(logits)
        words = self.layers[-1].looks(query, seen)  # type: ignore[operator]  # (B, T, K)
        shares = self._shares(states, lengths)  # (B, 1, T)
        return Answered(logits, shares @ words, words)

    def _shares(
        self, states: Float[Tensor, "B T M"], lengths: Int[Tensor, " B"]
    ) -> Float[Tensor, "B 1 T"]:
        """How much each word counted in the pooling."""
        queries = self.pooling.queries.expand(len(states), -1, -1)
        return weigh(queries, states, mask=masks.padding(lengths))
