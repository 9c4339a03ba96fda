"""The Transformer: attention all the way."""

from typing import cast

import torch
from torch import nn

from regard.functional import masks
from regard.functional.masks import Mask
from regard.kernels.ragged import Heads
from regard.nn import CrossCache, MultiHeadAttention
from regard.types import Float, Int, Tensor

from ..dropout import Dropout
from ..embedding import TokenEmbedding
from ..output import Unembedding
from ..seq2seq import Decoded, Seq2Seq
from .above import Above
from .alignment import alignment
from .compiled import CompiledDecoder, CompiledEncoder, compiles
from .config import TransformerConfig
from .halves import EncoderHalf, Halves
from .layers import DecoderLayer, EncoderLayer
from .packed import all_pack, decoded, encoded, side
from .paged import PagedState, plain
from .places import Places
from .plain import PlainDecoder, PlainEncoder
from .positions import Joined, joined
from .residual import last_norm
from .rows import Trimmed, lengths_of, tokens, trimmed
from .sentences import Sentences, below, padded
from .state import TransformerState
from .steady import SteadyTransformer
from .storage import Layers, Stored
from .written import Written


class Transformer(Seq2Seq):
    r"""An encoder that looks at itself, a decoder that looks at itself and at the encoder.

    .. math:: x_0 = \sqrt{M}\, E_{token} + P_{position}, \quad
              x_{l+1} = \text{layer}_l(x_l), \quad o = W_o\, x_L + b

    Vaswani et al. 2017 (https://arxiv.org/abs/1706.03762). Theirs → ours: d_model → ``model_dim``,
    d_ff → ``hidden_dim``, h → ``num_heads``, N → ``encoder_layers`` and ``decoder_layers``,
    P_drop → ``dropout`` (of sublayers) and ``embedding_dropout``; those of weights and of hidden
    features are from their published code. With ``norm="pre"`` a stack ends with a norm. Matrices
    begin Xavier-uniform (those of queries, keys and values one by one), biases at zero, embeddings
    normal with a standard deviation of 1/√M, so that they enter with 1.

    Norms and feed-forward layers run on tokens only, whatever the padding, and so does plain
    attention over short sequences on a CPU with numba; other attention runs on the padded batch.
    ``looked`` and ``read(..., aligned=True)`` tell the weights of the config's ``alignment_layer``
    and ``alignment_head``.
    """

    config: TransformerConfig
    output: Unembedding

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        self.source_embedding, self.target_embedding = _embeddings(config)
        self.source_position, self.target_position = joined(config), joined(config)
        kept = config.embedding_dropout
        self.dropout = Dropout(config.dropout if kept is None else kept)
        self.encoder = nn.ModuleList(EncoderLayer(config) for _ in range(config.encoder_layers))
        self.encoder_norm = last_norm(config.norm, config.model_dim)
        self.decoder = nn.ModuleList(DecoderLayer(config) for _ in range(config.decoder_layers))
        self.decoder_norm = last_norm(config.norm, config.model_dim)
        tied_to = self.target_embedding if config.tied else None
        self.output = Unembedding(config.model_dim, config.target_vocab, tied_to=tied_to)
        _begin(self)

    def read(
        self,
        source: Int[Tensor, "B S"],
        source_lengths: Int[Tensor, " B"],
        target: Int[Tensor, "B T"],
        *,
        aligned: bool = False,
    ) -> Decoded:
        """Features of all target positions, and where they looked if ``aligned``."""
        read, said = trimmed(source, source_lengths), trimmed(target, self._lengths(target))
        layers = [*self.encoder, *self.decoder]
        packs = all_pack(layers, read, said, self.target_embedding.weight)
        found = (self._packed if packs else self._padded)(read, said, aligned)
        weights = found.weights
        if weights is not None:
            weights = read.filled(said.filled(weights).mT).mT
        return Decoded(said.filled(found.features), weights)

    def blocks(self) -> list[nn.Module]:
        """Layers of the encoder; of the decoder's, all but norms and the look at the source."""
        parts = [(layer.attention, layer.feed_forward) for layer in self._decoder()]
        return [*self.encoder, *(part for pair in parts for part in pair)]

    def start(
        self,
        source: Int[Tensor, "B S"],
        source_lengths: Int[Tensor, " B"],
        *,
        by: Halves | None = None,
    ) -> TransformerState | PagedState:
        """The state before the first token: the source, prepared once for every layer.

        Plain attentions share among hypotheses what they can, where no gradient is asked for.

        Args:
            source: tokens.
            source_lengths: how many of each row are not padding.
            by: what computes them, laid out before; laid out anew if not given.
        """
        read = trimmed(source, source_lengths)
        if self._shares(source_lengths):
            return self._paged(read, by or self._plain())
        memory, _ = self._encoded(read)
        layers = self._decoder()
        return TransformerState(
            caches=(None,) * len(layers),
            memories=tuple(layer.cross.prepare(memory, source_lengths) for layer in layers),
            sentences=torch.arange(len(source), device=source.device),
            source_width=source.shape[1],
        )

    def step(
        self, tokens: Int[Tensor, " B"], state: TransformerState | PagedState
    ) -> tuple[Float[Tensor, "B V"], TransformerState | PagedState]:
        """Logits of the next token after ``tokens``, and the state behind them."""
        x = self.dropout(state.placed(self.target_embedding(tokens), self.target_position))
        asking = self.config.chosen_alignment_layer
        return state.through(self._decoder(), self._above(), x, asking)

    def steady(self) -> SteadyTransformer:
        """The same model to decode with while its parameters do not change."""
        return SteadyTransformer(self)

    def compiled(self) -> Halves | None:
        """Both halves laid out for compiled code, if they can be."""
        if not (plain(self.config) and compiles(self.config, self.target_embedding.weight)):
            return None
        decoder = CompiledDecoder(self._decoder(), self._above(), self.config)
        encoder = CompiledEncoder(self._encoder(), self.encoder_norm, self._decoder())
        return Halves(encoder, decoder)

    def looked(self, state: TransformerState | PagedState) -> Float[Tensor, "B S"] | None:
        """Where the last step looked; ``None`` before the first."""
        number = self.config.chosen_alignment_layer
        query, memory = state.asked(number)
        if query is None:
            return None
        allowed = memory.allowed
        mask = None if allowed is None else masks.padding(allowed.sum(dim=-1))
        cross = self._decoder()[number].cross
        weights = self._weights(cross, query, memory, mask).flatten(0, 1)
        return nn.functional.pad(weights, (0, state.source_width - weights.shape[-1]))

    def _shares(self, source_lengths: Int[Tensor, " B"]) -> bool:
        """Whether hypotheses can share: nobody asks for gradients, drops or watches anything."""
        watched = any(layer.attention.watchers or layer.cross.watchers for layer in self._decoder())
        autocast = torch.is_autocast_enabled(source_lengths.device.type)
        busy = torch.is_grad_enabled() or self.training or watched or autocast
        return not busy and plain(self.config) and bool((source_lengths > 0).all())

    def _paged(self, read: Trimmed, by: Halves) -> PagedState:
        """A state whose elements share what they can."""
        sentences, pairs = self._remembered(read, by.encoder)
        cross = self._decoder()[0].cross
        return PagedState(
            decoder=by.decoder,
            heads=Heads(cross.num_heads, cross.num_key_heads, cross.head_dim),
            written=Written.nothing(len(read.lengths), [each.shape[1] for each in pairs], pairs[0]),
            memory=Stored.full(pairs, sentences.pages()),
            places=Places(self.target_position, self.target_embedding.weight[0]),
            source_width=read.tokens.shape[1] + read.cut,
        )

    def _remembered(self, read: Trimmed, encoder: EncoderHalf) -> tuple[Sentences, Layers]:
        """What the decoder looks at, without padding where that is faster."""
        if all_pack(self._encoder(), read, read, self.target_embedding.weight):
            x = self._embedded(read.tokens, self.source_embedding, self.source_position)
            sentences = below(tokens(read.lengths, read.tokens.shape[1]).packed(x), read.lengths)
            return sentences, encoder(sentences)
        sentences = padded(self._encoded(read)[0], read.lengths)
        return sentences, self._plain_decoder().memory(sentences.states)

    def _plain(self) -> Halves:
        decoder = self._plain_decoder()
        encoder = PlainEncoder(self._encoder(), self.encoder_norm, decoder, self.config)
        return Halves(encoder, decoder)

    def _plain_decoder(self) -> PlainDecoder:
        return PlainDecoder(self._decoder(), self._above(), self.config)

    def _above(self) -> Above:
        return Above(self.decoder_norm, self.output)

    def _padded(self, read: Trimmed, said: Trimmed, aligned: bool) -> Decoded:
        """Any attention, on the padded batch; all else on tokens."""
        memory, mask = self._encoded(read)
        rows, weights = said.rows(), None
        x = rows.packed(self._embedded(said.tokens, self.target_embedding, self.target_position))
        for number, layer in enumerate(self._decoder()):
            prepared = layer.cross.prepare(memory)
            x, query = layer(x, rows, prepared, mask)
            if aligned and number == self.config.chosen_alignment_layer:
                weights = self._weights(layer.cross, query, prepared, mask)
        return Decoded(rows.padded(self.decoder_norm(x)), weights)

    def _packed(self, read: Trimmed, said: Trimmed, aligned: bool) -> Decoded:
        """Plain attention, on tokens as all else."""
        source, target, weights = side(read), side(said), None
        x = self._embedded(read.tokens, self.source_embedding, self.source_position)
        memory = self.encoder_norm(encoded(self._encoder(), source.tokens.packed(x), source))
        x = self._embedded(said.tokens, self.target_embedding, self.target_position)
        x = target.tokens.packed(x)
        for number, layer in enumerate(self._decoder()):
            x, query = decoded(layer, x, target, memory, source)
            if aligned and number == self.config.chosen_alignment_layer:
                prepared = layer.cross.prepare(source.tokens.padded(memory))
                asking, mask = target.tokens.padded(query), masks.padding(read.lengths)
                weights = self._weights(layer.cross, asking, prepared, mask)
        return Decoded(target.tokens.padded(self.decoder_norm(x)), weights)

    def _encoded(self, read: Trimmed) -> tuple[Float[Tensor, "B S M"], Mask]:
        """The encoder's states, and which of them are of tokens."""
        rows, mask = read.rows(), masks.padding(read.lengths)
        x = self._embedded(read.tokens, self.source_embedding, self.source_position)
        x = rows.packed(x)
        for layer in self.encoder:
            x = layer(x, rows, mask)
        return rows.padded(self.encoder_norm(x)), mask

    def _embedded(
        self, tokens: Int[Tensor, "B N"], embedding: nn.Module, position: Joined, start: int = 0
    ) -> Float[Tensor, "B N M"]:
        return self.dropout(position(embedding(tokens), start))

    def _weights(
        self, cross: MultiHeadAttention, query: Tensor, memory: CrossCache, mask: Mask | None
    ) -> Float[Tensor, "B T S"]:
        return alignment(cross, query, memory, mask=mask, head=self.config.alignment_head)

    def _lengths(self, target: Int[Tensor, "B T"]) -> Int[Tensor, " B"]:
        return lengths_of(target, self.config.pad)

    def _encoder(self) -> list[EncoderLayer]:
        return cast(list[EncoderLayer], list(self.encoder))

    def _decoder(self) -> list[DecoderLayer]:
        return cast(list[DecoderLayer], list(self.decoder))


def _embeddings(config: TransformerConfig) -> tuple[TokenEmbedding, TokenEmbedding]:
    """The source's and the target's; dropout comes behind the positions."""
    width = config.model_dim
    source, target = (
        TokenEmbedding(vocab, width, pad=config.pad, factor=width**0.5)
        for vocab in (config.source_vocab, config.target_vocab)
    )
    return (target, target) if config.shared else (source, target)


def _begin(model: Transformer) -> None:
    """Xavier-uniform matrices and zero biases; queries, keys and values have theirs already."""
    tied = model.target_embedding.weight
    for module in model.modules():
        if isinstance(module, nn.Linear) and module.weight is not tied:
            nn.init.xavier_uniform_(module.weight)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
