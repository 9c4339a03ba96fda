"""The Transformer: attention all the way."""

import math
from typing import cast

import torch
from torch import nn

from regard.functional import masks
from regard.functional.masks import Mask
from regard.nn import Cache, CrossCache, MultiHeadAttention
from regard.types import Float, Int, Tensor

from ..dropout import Dropout
from ..embedding import TokenEmbedding
from ..output import Unembedding
from ..seq2seq import Decoded, Seq2Seq
from .alignment import alignment
from .config import TransformerConfig
from .layers import DecoderLayer, EncoderLayer
from .positions import Joined, joined
from .residual import last_norm
from .rows import Trimmed, lengths_of, trimmed
from .state import TransformerState


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

    Norms and feed-forward layers run on tokens only, whatever the padding; attention runs on the
    padded batch. ``looked`` and ``read(..., aligned=True)`` tell the weights of the config's
    ``alignment_layer`` and ``alignment_head``.
    """

    config: TransformerConfig

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
        memory, mask = self._encoded(read)
        rows, weights = said.rows(), None
        x = rows.packed(self._embedded(said.tokens, self.target_embedding, self.target_position))
        for number, layer in enumerate(self._decoder()):
            prepared = layer.cross.prepare(memory)
            x, query = layer(x, rows, prepared, mask)
            if aligned and number == self.config.chosen_alignment_layer:
                weights = self._weights(layer.cross, query, prepared, mask)
        features = said.filled(rows.padded(self.decoder_norm(x)))
        if weights is not None:
            weights = read.filled(said.filled(weights).mT).mT
        return Decoded(features, weights)

    def start(
        self, source: Int[Tensor, "B S"], source_lengths: Int[Tensor, " B"]
    ) -> TransformerState:
        """The state before the first token: the source, prepared once for every layer."""
        read = trimmed(source, source_lengths)
        memory, _ = self._encoded(read)
        layers = self._decoder()
        return TransformerState(
            caches=(None,) * len(layers),
            memories=tuple(layer.cross.prepare(memory, source_lengths) for layer in layers),
            sentences=torch.arange(len(source), device=source.device),
            source_width=source.shape[1],
        )

    def step(
        self, tokens: Int[Tensor, " B"], state: TransformerState
    ) -> tuple[Float[Tensor, "B V"], TransformerState]:
        """Logits of the next token after ``tokens``, and the state behind them."""
        column, start = tokens.unsqueeze(-1), state.position
        x = self._embedded(column, self.target_embedding, self.target_position, start)
        caches: list[Cache] = []
        queries: list[Tensor] = []
        for layer, cache, memory in zip(self._decoder(), state.caches, state.memories, strict=True):
            x, query, grown = layer.step(x, cache, memory)
            caches.append(grown)
            queries.append(query)
        after = TransformerState(
            caches=tuple(caches),
            memories=state.memories,
            sentences=state.sentences,
            source_width=state.source_width,
            position=start + 1,
            query=queries[self.config.chosen_alignment_layer],
        )
        return self.output(self.decoder_norm(x).squeeze(1)), after

    def looked(self, state: TransformerState) -> Float[Tensor, "B S"] | None:
        """Where the last step looked; ``None`` before the first."""
        if state.query is None:
            return None
        number = self.config.chosen_alignment_layer
        memory, cross = state.memories[number], self._decoder()[number].cross
        assert memory.allowed is not None
        mask = masks.padding(memory.allowed.sum(dim=-1))
        weights = self._weights(cross, state.query, memory, mask).squeeze(1)
        return nn.functional.pad(weights, (0, state.source_width - weights.shape[-1]))

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
        vectors = embedding(tokens) * math.sqrt(self.config.model_dim)
        return self.dropout(position(vectors, start))

    def _weights(
        self, cross: MultiHeadAttention, query: Tensor, memory: CrossCache, mask: Mask
    ) -> Float[Tensor, "B T S"]:
        return alignment(cross, query, memory, mask=mask, head=self.config.alignment_head)

    def _lengths(self, target: Int[Tensor, "B T"]) -> Int[Tensor, " B"]:
        return lengths_of(target, self.config.pad)

    def _decoder(self) -> list[DecoderLayer]:
        return cast(list[DecoderLayer], list(self.decoder))


def _embeddings(config: TransformerConfig) -> tuple[TokenEmbedding, TokenEmbedding]:
    """The source's and the target's; dropout comes behind the positions."""
    source, target = (
        TokenEmbedding(vocab, config.model_dim, pad=config.pad)
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
