"""Encoder and decoder of plain attentions, layer by layer."""

from collections.abc import Sequence

from torch import nn

from regard.types import Float, Tensor

from .above import Above
from .config import TransformerConfig
from .halves import Looked, Said
from .layers import DecoderLayer, EncoderLayer
from .maps import Map
from .plain_layer import decoder_layer, encoder_layer
from .sentences import Sentences
from .storage import Layers


class PlainDecoder:
    """One step of a decoder, from embeddings to logits.

    Args:
        layers: the decoder's; their attentions are plain.
        above: what follows them.
        config: the model's.
    """

    def __init__(
        self, layers: Sequence[DecoderLayer], above: Above, config: TransformerConfig
    ) -> None:
        self._layers = [decoder_layer(layer, config) for layer in layers]
        self._norm, self._asking = above.norm, config.chosen_alignment_layer
        self._output = Map(above.output.proj.weight, above.output.proj.bias)

    def memory(self, states: Float[Tensor, "S M"]) -> Layers:
        """Keys and values of the encoder's states, for every layer."""
        return tuple(layer.across.pair_proj(states) for layer in self._layers)

    def step(self, x: Float[Tensor, "R M"], first: int, own: Looked, memory: Looked) -> Said:
        """One position further."""
        queries = list[Tensor]()
        for number, (itself, across, computing) in enumerate(self._layers):
            projected, pairs = itself.projected(x), own.layers[number]
            pairs[first : first + x.shape[0]] = itself.pairs(projected)
            x = itself.left(x, projected, pairs, own.pages)
            x, query = across.left(x, memory.layers[number], memory.pages)
            x = computing.left(x)
            queries.append(query)
        return Said(self._output(self._norm(x)), queries[self._asking])


class PlainEncoder:
    """From the embeddings of sentences to what a decoder looks at.

    Args:
        layers: of the encoder; their attentions are plain.
        last: the norm it ends with, if there is one.
        reader: the decoder.
        config: the model's.
    """

    def __init__(
        self,
        layers: Sequence[EncoderLayer],
        last: nn.Module,
        reader: PlainDecoder,
        config: TransformerConfig,
    ) -> None:
        self._layers = [encoder_layer(layer, config) for layer in layers]
        self._last, self._reader = last, reader

    def __call__(self, below: Sentences) -> Layers:
        """Keys and values of all tokens, for every layer of the decoder."""
        for layer in self._layers:
            below = layer(below)
        return self._reader.memory(self._last(below.states))
