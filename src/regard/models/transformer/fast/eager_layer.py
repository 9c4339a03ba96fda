"""Sublayers of plain attention, laid out for decoding: tensors, no modules to call."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, Protocol, runtime_checkable

from torch import addmm, mm, nn
from torch.nn.functional import layer_norm, rms_norm

from regard.kernels.paged import Pages, attend_paged
from regard.kernels.ragged import Heads
from regard.nn import MultiHeadAttention
from regard.nn.multihead.projections import JointProjection
from regard.types import Float, Tensor

from ..config import TransformerConfig
from ..feed_forward import FeedForward
from ..layers import DecoderLayer, EncoderLayer, Layer
from ..residual import NormPlace, Residual
from .flat_sentences import FlatSentences

WORTH_TURNING = range(12, 60)
"""Numbers of rows at which a product is faster with a matrix that is turned already: where MKL has
to turn it, it leaves all cores but one idle. Elsewhere there is no difference to speak of."""


class Map:
    """``x Wᵀ + b``.

    Args:
        weight: W.
        bias: b, or ``None``.
    """

    def __init__(self, weight: Float[Tensor, "N M"], bias: Float[Tensor, " N"] | None) -> None:
        self._turned, self._bias = weight.t(), bias

    def __call__(self, x: Float[Tensor, "R M"]) -> Float[Tensor, "R N"]:
        """Every row, mapped; the matrix is turned as soon as that is worth while."""
        if x.shape[0] in WORTH_TURNING and not self._turned.is_contiguous():
            self._turned = self._turned.contiguous()
        return mm(x, self._turned) if self._bias is None else addmm(self._bias, x, self._turned)


@runtime_checkable
class Attentive(Protocol):
    """A layer with a self-attention."""

    attention: MultiHeadAttention
    around_attention: Residual


class _Around(NamedTuple):
    """The path around a sublayer, as :mod:`..residual` has it where nothing is dropped."""

    norm: Callable[[Tensor], Tensor]
    place: NormPlace

    def enter(self, x: Float[Tensor, "R M"]) -> Float[Tensor, "R M"]:
        return self.norm(x) if self.place == "pre" else x

    def leave(self, x: Float[Tensor, "R M"], output: Float[Tensor, "R M"]) -> Float[Tensor, "R M"]:
        return x + output if self.place == "pre" else self.norm(x + output)


class SelfAttentionStep(NamedTuple):
    """A self-attention: what a row asks, and the pair of key and value that it is to others."""

    around: _Around
    all_proj: Map
    output_proj: Map
    heads: Heads

    def projected(self, x: Float[Tensor, "R M"]) -> Float[Tensor, "R _"]:
        """Queries, keys and values side by side."""
        return self.all_proj(self.around.enter(x))

    def pairs(self, projected: Float[Tensor, "R _"]) -> Float[Tensor, "R _"]:
        """Keys and values side by side."""
        return projected[:, self.heads.query * self.heads.width :]

    def apply(
        self,
        x: Float[Tensor, "R M"],
        projected: Float[Tensor, "R _"],
        pairs: Float[Tensor, "N _"],
        pages: Pages,
    ) -> Float[Tensor, "R M"]:
        """The states behind a look at ``pairs``."""
        found = attend_paged(projected, pairs, pages, self.heads)
        return self.around.leave(x, self.output_proj(found))


class CrossAttentionStep(NamedTuple):
    """A cross-attention, whose keys and values are prepared once."""

    around: _Around
    query_proj: Map
    pair_proj: Map
    output_proj: Map
    heads: Heads

    def apply(
        self, x: Float[Tensor, "R M"], pairs: Float[Tensor, "N _"], pages: Pages
    ) -> tuple[Float[Tensor, "R M"], Float[Tensor, "R M"]]:
        """The states behind a look at the source, and what looked."""
        asking = self.around.enter(x)
        found = attend_paged(self.query_proj(asking), pairs, pages, self.heads)
        return self.around.leave(x, self.output_proj(found)), asking


class FeedForwardStep(NamedTuple):
    """What every position computes for itself."""

    around: _Around
    input_proj: Map
    activation: Callable[[Tensor], Tensor]
    output_proj: Map

    def apply(self, x: Float[Tensor, "R M"]) -> Float[Tensor, "R M"]:
        """The states behind it."""
        hidden = self.activation(self.input_proj(self.around.enter(x)))
        return self.around.leave(x, self.output_proj(hidden))


class EagerEncoderLayer(NamedTuple):
    """What decoding needs of an :class:`..layers.EncoderLayer`, and the numbers it gives."""

    self_attention: SelfAttentionStep
    feed_forward: FeedForwardStep

    def __call__(self, below: FlatSentences) -> FlatSentences:
        """The states above those of some sentences."""
        x, projected = below.states, self.self_attention.projected(below.states)
        x = self.self_attention.apply(x, projected, projected, below.seen())
        return below._replace(states=self.feed_forward.apply(x))


class EagerDecoderLayer(NamedTuple):
    """What decoding needs of a :class:`..layers.DecoderLayer`, and the numbers it gives."""

    self_attention: SelfAttentionStep
    cross_attention: CrossAttentionStep
    feed_forward: FeedForwardStep


def encoder_layer(layer: EncoderLayer, config: TransformerConfig) -> EagerEncoderLayer:
    """A layer laid out; its parameters are the layer's own."""
    return EagerEncoderLayer(
        self_attention_step(layer, config.norm), feed_forward_step(layer, config.norm)
    )


def decoder_layer(layer: DecoderLayer, config: TransformerConfig) -> EagerDecoderLayer:
    """A layer laid out; its parameters are the layer's own."""
    joint, rows = _joint(layer.cross), _joint(layer.cross).sizes[0]
    bias = (None, None) if joint.bias is None else (joint.bias[:rows], joint.bias[rows:])
    cross_attention = CrossAttentionStep(
        around=_around(layer.around_cross, config.norm),
        query_proj=Map(joint.weight[:rows], bias[0]),
        pair_proj=Map(joint.weight[rows:], bias[1]),
        output_proj=_map(layer.cross.output_proj),
        heads=_heads(layer.cross),
    )
    return EagerDecoderLayer(
        self_attention_step(layer, config.norm),
        cross_attention,
        feed_forward_step(layer, config.norm),
    )


def self_attention_step(layer: Attentive, place: NormPlace) -> SelfAttentionStep:
    """The self-attention of a layer, laid out."""
    joint = _joint(layer.attention)
    return SelfAttentionStep(
        around=_around(layer.around_attention, place),
        all_proj=Map(joint.weight, joint.bias),
        output_proj=_map(layer.attention.output_proj),
        heads=_heads(layer.attention),
    )


def feed_forward_step(layer: Layer, place: NormPlace) -> FeedForwardStep:
    """The feed-forward sublayer of a layer, laid out."""
    inner: FeedForward = layer.feed_forward
    return FeedForwardStep(
        around=_around(layer.around_feed_forward, place),
        input_proj=_map(inner.input_proj),
        activation=inner.activation.function,
        output_proj=_map(inner.output_proj),
    )


def _heads(attention: MultiHeadAttention) -> Heads:
    return Heads(attention.num_heads, attention.num_key_heads, attention.head_dim)


def _joint(attention: MultiHeadAttention) -> JointProjection:
    joint = attention.in_proj
    assert isinstance(joint, JointProjection)
    return joint


def _map(proj: nn.Module) -> Map:
    assert isinstance(proj, nn.Linear)
    return Map(proj.weight, proj.bias)


def _around(residual: Residual, place: NormPlace) -> _Around:
    norm, width = residual.norm, list(residual.norm.normalized_shape)
    if isinstance(norm, nn.RMSNorm):
        return _Around(partial(_rms_norm, width, norm.weight, norm.eps), place)
    return _Around(partial(_layer_norm, width, norm.weight, norm.bias, norm.eps), place)


def _layer_norm(
    width: list[int], weight: Tensor, bias: Tensor | None, eps: float, x: Float[Tensor, "R M"]
) -> Float[Tensor, "R M"]:
    return layer_norm(x, width, weight, bias, eps)


def _rms_norm(
    width: list[int], weight: Tensor, eps: float | None, x: Float[Tensor, "R M"]
) -> Float[Tensor, "R M"]:
    return rms_norm(x, width, weight, eps)
