"""A decoder layer whose attentions are plain, laid out for steps: tensors, no modules to call."""

from typing import NamedTuple

from torch import nn
from torch.nn.functional import layer_norm, linear, scaled_dot_product_attention

from regard.nn import CrossCache, MultiHeadAttention
from regard.nn.multihead_projections import JointProjection
from regard.types import Float, Tensor

from .config import TransformerConfig
from .feed_forward import FeedForward
from .layers import DecoderLayer
from .pool import Pool
from .residual import NormPlace, Residual


class _Map(NamedTuple):
    """A linear map."""

    weight: Tensor
    bias: Tensor | None

    def __call__(self, x: Float[Tensor, "R M"]) -> Float[Tensor, "R N"]:
        return linear(x, self.weight, self.bias)


class _Around(NamedTuple):
    """The path around a sublayer, as :mod:`.residual` has it where nothing is dropped."""

    width: list[int]
    weight: Tensor
    bias: Tensor | None
    eps: float
    place: NormPlace

    def enter(self, x: Float[Tensor, "R M"]) -> Float[Tensor, "R M"]:
        return self._normed(x) if self.place == "pre" else x

    def leave(self, x: Float[Tensor, "R M"], output: Float[Tensor, "R M"]) -> Float[Tensor, "R M"]:
        return x + output if self.place == "pre" else self._normed(x + output)

    def _normed(self, x: Float[Tensor, "R M"]) -> Float[Tensor, "R M"]:
        return layer_norm(x, self.width, self.weight, self.bias, self.eps)


class Way(NamedTuple):
    """What all layers of a step share."""

    each: int
    """k, hypotheses of a sentence."""
    own: Float[Tensor, "B 1 k n"] | None
    """0 where an entry of the pool is on a hypothesis' way and -∞ elsewhere; ``None``: all are."""
    source: Float[Tensor, "B 1 1 S"] | None
    """0 at tokens of the source and -∞ behind them; ``None``: no padding."""


class PlainLayer(NamedTuple):
    """What a step needs of a :class:`.layers.DecoderLayer`, and the numbers it gives."""

    heads: tuple[int, int]
    """H and D."""
    around_attention: _Around
    all_proj: _Map
    own_proj: _Map
    around_cross: _Around
    query_proj: _Map
    cross_proj: _Map
    around_feed_forward: _Around
    feed_forward: FeedForward

    def step(
        self, x: Float[Tensor, "R M"], pool: Pool, memory: CrossCache, way: Way
    ) -> tuple[Float[Tensor, "R M"], Float[Tensor, "R M"], Pool]:
        """The states above the next position, what looked at the source, and the grown pool."""
        sizes = (-1, way.each, 3, *self.heads)
        heads = self.all_proj(self.around_attention.enter(x)).view(sizes)
        query, key, value = heads.permute(2, 0, 3, 1, 4).unbind()  # (B, H, k, D)
        pool = pool.appended(key, value)
        found = scaled_dot_product_attention(query, pool.key, pool.value, way.own)
        x = self.around_attention.leave(x, self.own_proj(found.transpose(1, 2).reshape(x.shape)))
        asking = self.around_cross.enter(x)
        query = self.query_proj(asking).view(-1, way.each, *self.heads).transpose(1, 2)
        found = scaled_dot_product_attention(query, memory.key, memory.value, way.source)
        x = self.around_cross.leave(x, self.cross_proj(found.transpose(1, 2).reshape(x.shape)))
        computed = self.feed_forward(self.around_feed_forward.enter(x))
        return self.around_feed_forward.leave(x, computed), asking, pool


def laid_out(layer: DecoderLayer, config: TransformerConfig) -> PlainLayer:
    """A layer for steps; its parameters are the layer's own."""
    own, cross = layer.attention, layer.cross
    joint, asking = _joint(own), _joint(cross)
    rows = asking.sizes[0]
    return PlainLayer(
        heads=(own.num_heads, own.head_dim),
        around_attention=_around(layer.around_attention, config.norm),
        all_proj=_Map(joint.weight, joint.bias),
        own_proj=_map(own.output_proj),
        around_cross=_around(layer.around_cross, config.norm),
        query_proj=_Map(asking.weight[:rows], None if asking.bias is None else asking.bias[:rows]),
        cross_proj=_map(cross.output_proj),
        around_feed_forward=_around(layer.around_feed_forward, config.norm),
        feed_forward=layer.feed_forward,
    )


def _joint(attention: MultiHeadAttention) -> JointProjection:
    joint = attention.in_proj
    assert isinstance(joint, JointProjection)
    return joint


def _map(proj: nn.Module) -> _Map:
    assert isinstance(proj, nn.Linear)
    return _Map(proj.weight, proj.bias)


def _around(residual: Residual, place: NormPlace) -> _Around:
    norm = residual.norm
    return _Around(list(norm.normalized_shape), norm.weight, norm.bias, norm.eps, place)
