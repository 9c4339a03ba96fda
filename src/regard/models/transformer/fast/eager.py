"""Encoder and decoder of plain attentions on pages, by torch, layer by layer."""

from typing import TYPE_CHECKING

from regard.types import Float, Tensor

from .backend import DecodingBackend, PagedMemory, StepOutput
from .eager_layer import Map, decoder_layer, encoder_layer
from .flat_sentences import FlatSentences
from .storage import Layers

if TYPE_CHECKING:
    from ..model import Transformer


class EagerDecoder:
    """One step of a decoder, from embeddings to logits.

    Args:
        model: its attentions are plain.
    """

    def __init__(self, model: "Transformer") -> None:
        self._layers = [decoder_layer(layer, model.config) for layer in model.decoder]
        self._norm, self._asking = model.decoder_norm, model.config.chosen_alignment_layer
        self._output = Map(model.output.proj.weight, model.output.proj.bias)

    def memory(self, states: Float[Tensor, "S M"]) -> Layers:
        """Keys and values of the encoder's states, for every layer."""
        return tuple(layer.cross_attention.pair_proj(states) for layer in self._layers)

    def step(
        self, x: Float[Tensor, "R M"], first: int, own: PagedMemory, memory: PagedMemory
    ) -> StepOutput:
        """One position further."""
        queries = list[Tensor]()
        for number, (self_attention, cross_attention, feed_forward) in enumerate(self._layers):
            projected, pairs = self_attention.projected(x), own.layers[number]
            pairs[first : first + x.shape[0]] = self_attention.pairs(projected)
            x = self_attention.apply(x, projected, pairs, own.pages)
            x, query = cross_attention.apply(x, memory.layers[number], memory.pages)
            x = feed_forward.apply(x)
            queries.append(query)
        return StepOutput(self._output(self._norm(x)), queries[self._asking])


class EagerEncoder:
    """From the embeddings of sentences to what a decoder looks at.

    Args:
        model: its attentions are plain.
        reader: its decoder.
    """

    def __init__(self, model: "Transformer", reader: EagerDecoder) -> None:
        self._layers = [encoder_layer(layer, model.config) for layer in model.encoder]
        self._norm, self._reader = model.encoder_norm, reader

    def __call__(self, below: FlatSentences) -> Layers:
        """Keys and values of all tokens, for every layer of the decoder."""
        for layer in self._layers:
            below = layer(below)
        return self._reader.memory(self._norm(below.states))


def eager_backend(model: "Transformer") -> DecodingBackend:
    """Both halves of a model; its parameters are not copied."""
    decoder = EagerDecoder(model)
    return DecodingBackend(EagerEncoder(model, decoder), decoder)
