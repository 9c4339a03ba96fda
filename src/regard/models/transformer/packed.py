"""The layers on tokens alone: no padding anywhere, the attention included."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from torch import nn

from regard.kernels.ragged import Spans
from regard.nn import MultiHeadAttention
from regard.nn.multihead.packed import attend_packed, packs
from regard.types import Float, Tensor

from .layers import DecoderLayer, EncoderLayer
from .rows import Tokens, Trimmed, tokens


class Side(NamedTuple):
    """Source or target: where its tokens stand in the padded batch, and one below the other."""

    tokens: Tokens
    spans: Spans


def side(of: Trimmed) -> Side:
    """The layout of one side of a batch."""
    width = of.tokens.shape[1]
    counts = of.lengths.clamp(min=0, max=width)
    return Side(tokens(counts, width), Spans(counts.cumsum(0) - counts, counts))


def all_pack(layers: Iterable[nn.Module], read: Trimmed, said: Trimmed, like: Tensor) -> bool:
    """Whether every attention of these layers can run so.

    Args:
        layers: of the encoder and of the decoder.
        read: the source.
        said: the target.
        like: a tensor as the states will be.
    """
    longest = max(read.tokens.shape[1], said.tokens.shape[1])
    return all(
        not (layer._forward_hooks or layer._forward_pre_hooks)
        and all(packs(attention, like, longest) for attention in _attentions(layer))
        for layer in layers
    )


def encoded(
    layers: Sequence[EncoderLayer], x: Float[Tensor, "S M"], source: Side
) -> Float[Tensor, "S M"]:
    """The states of the source's tokens above all layers."""
    for layer in layers:
        entered = layer.around_attention.enter(x)
        x = layer.around_attention.leave(x, attend_packed(layer.attention, entered, source.spans))
        x = layer.computed(x)
    return x


class Above(NamedTuple):
    """States above a decoder layer, and what its cross-attention looked at the source with."""

    states: Float[Tensor, "R M"]
    query: Float[Tensor, "R M"]


def decoded(
    layer: DecoderLayer,
    x: Float[Tensor, "R M"],
    target: Side,
    memory: Float[Tensor, "S M"],
    source: Side,
) -> Above:
    """The states of the target's tokens above one layer.

    Args:
        layer: the layer.
        x: states below it.
        target: where they belong.
        memory: states of the source's tokens.
        source: where those belong.
    """
    entered = layer.around_attention.enter(x)
    x = layer.around_attention.leave(x, attend_packed(layer.attention, entered, target.spans))
    query = layer.around_cross.enter(x)
    found = attend_packed(layer.cross, query, target.spans, memory, source.spans)
    return Above(layer.computed(layer.around_cross.leave(x, found)), query)


def _attentions(layer: nn.Module) -> list[MultiHeadAttention]:
    assert isinstance(layer, EncoderLayer | DecoderLayer)
    return [layer.attention, layer.cross] if isinstance(layer, DecoderLayer) else [layer.attention]
