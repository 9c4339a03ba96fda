"""Encoder and decoder laid out to be run as a whole by compiled code."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from torch import nn

from regard.kernels.ragged import Heads
from regard.nn import MultiHeadAttention
from regard.nn.multihead.projections import JointProjection
from regard.types import Float, Tensor

from ..layers import DecoderLayer, EncoderLayer
from .backend import DecodingBackend, PagedMemory, StepOutput
from .flat_sentences import FlatSentences
from .program import Program
from .storage import Layers

if TYPE_CHECKING:
    from ..model import Transformer

Norms = tuple[nn.LayerNorm | None, Iterator[nn.LayerNorm]]
"""The norm before all sublayers, if there is one, and those behind each."""


class CompiledEncoder:
    """From the embeddings of sentences to what a decoder looks at.

    Args:
        model: its attentions are plain.
    """

    def __init__(self, model: "Transformer") -> None:
        from regard.kernels.stack_numba import Kind, Matrix

        layers = model.encoder
        before, behind = _norms(
            [
                around.norm
                for layer in layers
                for around in (layer.around_attention, layer.around_feed_forward)
            ],
            model.encoder_norm,
        )
        self._program = program = _program(layers[0], before)
        for layer in layers:
            itself = _joint(layer.attention)
            program.map(itself.weight, itself.bias, Matrix.READ, Matrix.MAPPED)
            program.attend(Kind.ATTEND_ROWS, sum(itself.sizes))
            _leave(program, layer.attention.output_proj, Matrix.FOUND, next(behind))
            _compute(program, layer, next(behind))
        self._widths = list[int]()
        for number, reader in enumerate(model.decoder):
            across = _joint(reader.cross)
            asking = across.sizes[0]
            bias = None if across.bias is None else across.bias[asking:]
            program.map(across.weight[asking:], bias, Matrix.READ, Matrix.SAID + number)
            self._widths.append(sum(across.sizes[1:]))

    def __call__(self, below: FlatSentences) -> Layers:
        """Keys and values of all tokens, for every decoder layer; ``below`` is overwritten."""
        own = PagedMemory((), below.seen())
        _, said = self._program.run(below.states, own, widths=self._widths)
        return tuple(pairs.contiguous() for pairs in said)


class CompiledDecoder:
    """One step of a decoder, from embeddings to logits.

    Args:
        model: its attentions are plain.
    """

    def __init__(self, model: "Transformer") -> None:
        from regard.kernels.stack_numba import Kind, Matrix

        layers = model.decoder
        before, behind = _norms(
            [
                around.norm
                for layer in layers
                for around in (
                    layer.around_attention,
                    layer.around_cross,
                    layer.around_feed_forward,
                )
            ],
            model.decoder_norm,
        )
        self._program = program = _program(layers[0], before)
        for number, layer in enumerate(layers):
            itself, across = _joint(layer.attention), _joint(layer.cross)
            asking = across.sizes[0]
            bias = None if across.bias is None else across.bias[:asking]
            program.map(itself.weight, itself.bias, Matrix.READ, Matrix.MAPPED)
            program.attend(Kind.ATTEND_OWN, sum(itself.sizes), number)
            _leave(program, layer.attention.output_proj, Matrix.FOUND, next(behind))
            if number == model.config.chosen_alignment_layer:
                program.keep()
            program.map(across.weight[:asking], bias, Matrix.READ, Matrix.MAPPED)
            program.attend(Kind.ATTEND_MEMORY, asking, number)
            _leave(program, layer.cross.output_proj, Matrix.FOUND, next(behind))
            _compute(program, layer, next(behind))
        output = model.output.proj
        program.map(output.weight, output.bias, Matrix.READ, Matrix.SAID)
        self._vocab = output.out_features

    def step(
        self, x: Float[Tensor, "R M"], first: int, own: PagedMemory, memory: PagedMemory
    ) -> StepOutput:
        """One position further; ``x`` is overwritten."""
        query, [logits] = self._program.run(x, own, memory, first=first, widths=[self._vocab])
        return StepOutput(logits, query)


def compiled_backend(model: "Transformer") -> DecodingBackend:
    """Both halves of a model, weights packed as they are now; where the plan says compiled."""
    return DecodingBackend(CompiledEncoder(model), CompiledDecoder(model))


def _program(layer: EncoderLayer | DecoderLayer, before: nn.LayerNorm | None) -> Program:
    """An empty one for layers of this size."""
    attention, inner = layer.attention, layer.feed_forward
    heads = Heads(attention.num_heads, attention.num_key_heads, attention.head_dim)
    model, hidden = inner.input_proj.in_features, inner.input_proj.out_features
    return Program(model=model, heads=heads, hidden=hidden, before=before)


def _leave(program: Program, proj: nn.Module, source: int, norm: nn.LayerNorm) -> None:
    from regard.kernels.stack_numba import Matrix

    linear = cast(nn.Linear, proj)
    program.map(linear.weight, linear.bias, source, Matrix.ADDED)
    program.leave(norm)


def _compute(program: Program, layer: EncoderLayer | DecoderLayer, norm: nn.LayerNorm) -> None:
    from regard.kernels.stack_numba import Matrix

    entering = layer.feed_forward.input_proj
    program.map(entering.weight, entering.bias, Matrix.READ, Matrix.MAPPED, relu=True)
    _leave(program, layer.feed_forward.output_proj, Matrix.MAPPED, norm)


def _norms(norms: Sequence[nn.Module], last: nn.Module) -> Norms:
    own = [cast(nn.LayerNorm, norm) for norm in norms]
    if isinstance(last, nn.LayerNorm):
        return own[0], iter([*own[1:], last])
    return None, iter(own)


def _joint(attention: MultiHeadAttention) -> JointProjection:
    return cast(JointProjection, attention.in_proj)
