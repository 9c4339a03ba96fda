"""Reading in parallel on tokens alone: no padding anywhere, the attention included.

The twin of :meth:`..model.Transformer.encode` and :meth:`..model.Transformer.decode`.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from regard.functional import masks
from regard.kernels.ragged import Spans
from regard.nn import MultiHeadAttention
from regard.nn.multihead.packed import attend_packed, packs
from regard.types import Float, Tensor

from ...seq2seq import Decoded
from ..layers import DecoderLayer, EncoderLayer, LayerOutput
from ..padding import Tokens, Trimmed, tokens

if TYPE_CHECKING:
    from ..model import Transformer

Layers = Iterable[EncoderLayer | DecoderLayer]


class Side(NamedTuple):
    """Source or target: where its tokens stand in the padded batch, and one below the other."""

    tokens: Tokens
    spans: Spans


def packable(layers: Layers, *sides: Trimmed, like: Tensor) -> bool:
    """Whether every attention of these layers can run so, and nobody needs their own forward.

    Args:
        layers: of the encoder and of the decoder.
        sides: source and target.
        like: a tensor as the states will be.
    """
    longest = max(side.tokens.shape[1] for side in sides)
    return all(
        not hooked([layer])
        and all(packs(attention, like, longest) for attention in _attentions(layer))
        for layer in layers
    )


def hooked(layers: Layers) -> bool:
    """Whether a layer has hooks around its forward, as those that are spread over processes."""
    return any(layer._forward_hooks or layer._forward_pre_hooks for layer in layers)


def decode_parallel(
    model: "Transformer", source: Trimmed, target: Trimmed, *, aligned: bool
) -> Decoded:
    """Features of all target positions, and where they looked if ``aligned``."""
    read, said, weights = _side(source), _side(target), None
    x = read.tokens.packed(model.embed_source(source.tokens))  # (S, M)
    memory = model.encoder_norm(_encoded(model.encoder, x, read))
    x = said.tokens.packed(model.embed_target(target.tokens))  # (R, M)
    for number, layer in enumerate(model.decoder):
        x, query = decoded(layer, x, said, memory, read)
        if aligned and number == model.config.chosen_alignment_layer:
            prepared = layer.cross.prepare(read.tokens.padded(memory))
            mask = masks.padding(source.lengths)
            weights = layer.alignment(said.tokens.padded(query), prepared, mask)  # (B, T, S)
    return Decoded(said.tokens.padded(model.decoder_norm(x)), weights)


def decoded(
    layer: DecoderLayer,
    x: Float[Tensor, "R M"],
    target: Side,
    memory: Float[Tensor, "S M"],
    source: Side,
) -> LayerOutput:
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
    return LayerOutput(layer.computed(layer.around_cross.leave(x, found)), query)


def _encoded(
    layers: Iterable[EncoderLayer], x: Float[Tensor, "S M"], source: Side
) -> Float[Tensor, "S M"]:
    """The states of the source's tokens above all layers."""
    for layer in layers:
        entered = layer.around_attention.enter(x)
        x = layer.around_attention.leave(x, attend_packed(layer.attention, entered, source.spans))
        x = layer.computed(x)
    return x


def _side(of: Trimmed) -> Side:
    width = of.tokens.shape[1]
    counts = of.lengths.clamp(min=0, max=width)
    return Side(tokens(counts, width), Spans(counts.cumsum(0) - counts, counts))


def _attentions(layer: EncoderLayer | DecoderLayer) -> list[MultiHeadAttention]:
    return [layer.attention, layer.cross] if isinstance(layer, DecoderLayer) else [layer.attention]
