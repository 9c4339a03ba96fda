"""The Transformer: attention all the way."""

from collections.abc import Sequence
from dataclasses import replace

from torch import nn

from regard.functional import masks
from regard.types import Float, Int, Tensor

from ..dropout import Dropout
from ..embedding import embeddings
from ..output import Unembedding
from ..seq2seq import Decoded, Seq2Seq
from . import fast
from .config import TransformerConfig
from .layers import DecoderLayer, EncoderLayer, initialise, stack
from .padding import Trimmed, lengths_of, trimmed
from .positions import joined
from .residual import last_norm
from .state import TransformerState, last_weights

AnyState = TransformerState | fast.PagedState


class Transformer(Seq2Seq):
    r"""An encoder that looks at itself, a decoder that looks at itself and at the encoder.

    .. math:: x_0 = \sqrt{M}\, E_{token} + P_{position}, \quad
              x_{l+1} = \text{layer}_l(x_l), \quad o = W_o\, x_L + b

    Vaswani et al. 2017 (https://arxiv.org/abs/1706.03762); the config maps their symbols to ours.

    On a CPU with numba ``fast/packed.py`` computes :meth:`Seq2Seq.forward`, and without gradients
    ``fast/paged.py`` the steps; ``fast.plan`` says which and why, tests hold them to what is here.
    """

    config: TransformerConfig
    output: Unembedding
    encoder: Sequence[EncoderLayer]  # both are nn.ModuleList
    decoder: Sequence[DecoderLayer]

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        self.source_embedding, self.target_embedding = embeddings(
            config, config.model_dim, dropout=0.0, factor=config.embedding_factor
        )  # dropout follows the positions
        self.source_position, self.target_position = joined(config), joined(config)
        self.dropout = Dropout(config.chosen_embedding_dropout)
        self.encoder = stack(EncoderLayer, config, config.encoder_layers, causal=False)
        self.encoder_norm = last_norm(config)
        self.decoder = stack(DecoderLayer, config, config.decoder_layers, causal=True)
        self.decoder_norm = last_norm(config)
        tied_to = self.target_embedding if config.tied else None
        bias, factor = config.output_bias, config.output_factor
        width, vocab = config.model_dim, config.target_vocab
        self.output = Unembedding(width, vocab, tied_to=tied_to, bias=bias, factor=factor)
        initialise(self, tied=self.target_embedding.weight)

    def decode_parallel(
        self,
        source: Int[Tensor, "B S"],
        source_lengths: Int[Tensor, " B"],
        target: Int[Tensor, "B T"],
        *,
        aligned: bool = False,
    ) -> Decoded:
        """Features of all target positions, and where they looked if ``aligned``."""
        read = trimmed(source, source_lengths)  # (B, s): columns that no sentence reaches are cut
        said = trimmed(target, lengths_of(target, self.config.pad))  # (B, t)
        if fast.plan(self, read, said).name == "packed":
            found = fast.packed.decode_parallel(self, read, said, aligned=aligned)
        else:
            found = self.decode(said, self.encode(read), read.lengths, aligned=aligned)
        return said.filled_decoded(found, read)  # (B, T, M), (B, T, S)

    def embed_source(self, tokens: Int[Tensor, "B S"]) -> Float[Tensor, "B S M"]:
        """Vectors of tokens that know where they stand."""
        return self.dropout(self.source_position(self.source_embedding(tokens), 0))

    def embed_target(self, tokens: Int[Tensor, "B T"], start: int = 0) -> Float[Tensor, "B T M"]:
        """Vectors of tokens, the first of which stands at ``start``."""
        return self.dropout(self.target_position(self.target_embedding(tokens), start))

    def encode(self, source: Trimmed) -> Float[Tensor, "B S M"]:
        """The states of the source above all layers."""
        rows, mask = source.rows(), masks.padding(source.lengths)
        x = rows.packed(self.embed_source(source.tokens))  # (R, M): tokens alone, no padding
        for layer in self.encoder:
            x = layer(x, rows, mask)
        return rows.padded(self.encoder_norm(x))  # (B, S, M)

    def decode(
        self, target: Trimmed, memory: Float[Tensor, "B S M"], lengths: Tensor, *, aligned: bool
    ) -> Decoded:
        """Features of all target positions, with teacher forcing: every token is given."""
        rows, mask, weights = target.rows(), masks.padding(lengths), None
        x = rows.packed(self.embed_target(target.tokens))  # (R, M)
        for number, layer in enumerate(self.decoder):
            prepared = layer.cross.prepare(memory)
            x, query = layer(x, rows, prepared, mask)
            if aligned and number == self.config.chosen_alignment_layer:
                weights = layer.alignment(query, prepared, mask)
        return Decoded(rows.padded(self.decoder_norm(x)), weights)  # (B, T, M), (B, T, S)

    def start(
        self,
        source: Int[Tensor, "B S"],
        source_lengths: Int[Tensor, " B"],
        *,
        backend: fast.DecodingBackend | None = None,
    ) -> AnyState:
        """The state before the first token; ``backend`` computes its steps, where it is paged."""
        read = trimmed(source, source_lengths)
        if fast.plan(self, read).name != "definition":
            return fast.paged.start(self, read, backend)
        memory = self.encode(read)  # (B, s, M)
        memories = tuple(layer.cross.prepare(memory, source_lengths) for layer in self.decoder)
        return TransformerState.before_the_first_step(memories, source_width=source.shape[1])

    def step(
        self, tokens: Int[Tensor, " B"], state: AnyState
    ) -> tuple[Float[Tensor, "B V"], AnyState]:
        """Logits of the next token after ``tokens``, and the state behind them."""
        if isinstance(state, fast.PagedState):
            return fast.paged.step(self, tokens, state)
        x, caches, queries = self.embed_target(tokens.unsqueeze(1), state.position), [], []
        for layer, cache, memory in zip(self.decoder, state.caches, state.memories, strict=True):
            x, query, grown = layer.step(x, cache, memory)  # (B, 1, M), and a key more
            caches.append(grown)
            queries.append(query)
        kept = queries[self.config.chosen_alignment_layer]
        after = replace(state, caches=tuple(caches), position=state.position + 1, query=kept)
        return self.output(self.decoder_norm(x).squeeze(1)), after  # (B, V)

    def last_weights(self, state: AnyState) -> Float[Tensor, "B S"] | None:
        """Where the last step looked; ``None`` before the first."""
        number = self.config.chosen_alignment_layer
        return last_weights(state, self.decoder[number], number)

    def steady(self) -> fast.SteadyTransformer:
        """The same model to decode with while its parameters do not change."""
        return fast.SteadyTransformer(self)

    def blocks(self) -> list[nn.Module]:
        """Layers of the encoder; of the decoder's, all but norms and the look at the source."""
        parts = [(layer.attention, layer.feed_forward) for layer in self.decoder]
        return [*self.encoder, *(part for pair in parts for part in pair)]
