"""Sequence to sequence by convolutions alone."""

from typing import cast

import torch
from torch import nn

from regard.nn import Memory
from regard.positions import Learned
from regard.types import Float, Int, Tensor

from ..dropout import Dropout
from ..embedding import TokenEmbedding
from ..output import Unembedding
from ..seq2seq import Decoded, Seq2Seq
from .blocks import Map
from .config import ConvS2SConfig
from .decoder import ConvDecoderLayer
from .encoder import ConvEncoder
from .state import ConvState


class ConvS2S(Seq2Seq):
    r"""A convolutional encoder, and a convolutional decoder that looks at it in every layer.

    Gehring et al. 2017, section 3 (https://arxiv.org/abs/1705.03122). Theirs → ours: w + p → an
    embedding with a learned position, z → keys, z + e → values, d → the query of a layer,
    :math:`h^L` → what ``feature_proj`` reads. The gradient into the encoder is divided by the
    number of attentions (their section 3.5), except that into the source's embeddings by way of
    the values. Embeddings begin normal with a standard deviation of 0.1.

    Differs from the paper: weights are not normalised.
    """

    config: ConvS2SConfig

    def __init__(self, config: ConvS2SConfig) -> None:
        super().__init__()
        self.config = config
        width = config.embedding_dim
        self.source_embedding, self.target_embedding = _embeddings(config)
        self.source_position = Learned(config.max_length, width)
        self.target_position = Learned(config.max_length, width)
        self.dropout = Dropout(config.dropout)
        sizes = {"embedding_dim": width, "hidden_dim": config.hidden_dim}
        self.encoder = ConvEncoder(
            **sizes,
            layers=config.encoder_layers,
            kernel=config.encoder_kernel,
            dropout=config.dropout,
        )
        self.input_proj = Map(width, config.hidden_dim, dropout=config.dropout)
        self.decoder = nn.ModuleList(
            ConvDecoderLayer(**sizes, kernel=config.decoder_kernel, dropout=config.dropout)
            for _ in range(config.decoder_layers)
        )
        self.feature_proj = Map(config.hidden_dim, width)
        tied_to = self.target_embedding if config.tied else None
        self.output = Unembedding(width, config.target_vocab, tied_to=tied_to)

    def decode_parallel(
        self,
        source: Int[Tensor, "B S"],
        source_lengths: Int[Tensor, " B"],
        target: Int[Tensor, "B T"],
        *,
        aligned: bool = False,
    ) -> Decoded:
        """Features of all target positions, and where they looked if ``aligned``."""
        memory = self._encoded(source, source_lengths)
        embedded = self.dropout(self.target_position(self.target_embedding(target)))
        x, queries = self.input_proj(embedded), []  # (B, T, C)
        for layer in self._decoder():
            x, query = layer(x, embedded, memory)
            queries.append(query)
        weights = self._weights(tuple(queries), memory) if aligned else None
        return Decoded(self._features(x), weights)

    def start(self, source: Int[Tensor, "B S"], source_lengths: Int[Tensor, " B"]) -> ConvState:
        """The state before the first token: the source encoded, and nothing said."""
        memory = self._encoded(source, source_lengths)
        sizes = (len(source), self.config.decoder_kernel - 1, self.config.hidden_dim)
        return ConvState(
            windows=(memory.key.new_zeros(sizes),) * self.config.decoder_layers,
            memory=memory,
            sentences=torch.arange(len(source), device=source.device),
        )

    def step(
        self, tokens: Int[Tensor, " B"], state: ConvState
    ) -> tuple[Float[Tensor, "B V"], ConvState]:
        """Logits of the next token after ``tokens``, and the state behind them."""
        vectors = self.target_embedding(tokens.unsqueeze(-1))  # (B, 1, M)
        embedded = self.dropout(self.target_position(vectors, state.position))
        x = self.input_proj(embedded)  # (B, 1, C)
        windows: list[Tensor] = []
        queries: list[Tensor] = []
        for layer, earlier in zip(self._decoder(), state.windows, strict=True):
            (x, query), window = layer.step(x, embedded, earlier, state.memory)
            windows.append(window)
            queries.append(query)
        after = ConvState(
            windows=tuple(windows),
            memory=state.memory,
            sentences=state.sentences,
            position=state.position + 1,
            queries=tuple(queries),
        )
        return self.output(self._features(x).squeeze(1)), after

    def last_weights(self, state: ConvState) -> Float[Tensor, "B S"] | None:
        """Where the last step looked; ``None`` before the first."""
        if not state.queries:
            return None
        return self._weights(state.queries, state.memory).squeeze(1)

    def _encoded(self, source: Int[Tensor, "B S"], lengths: Int[Tensor, " B"]) -> Memory:
        """Keys and values of the source, for every layer."""
        embedded = self.dropout(self.source_position(self.source_embedding(source)))
        given = self.config.encoder_gradient
        factor = 1 / self.config.decoder_layers if given is None else given
        keys, values = self.encoder(embedded, lengths, gradient=factor)
        return self._decoder()[0].cross.prepare(keys, lengths, values=values)

    def _features(self, x: Float[Tensor, "B T C"]) -> Float[Tensor, "B T M"]:
        return self.dropout(self.feature_proj(x))

    def _weights(
        self, queries: tuple[Float[Tensor, "B T M"], ...], memory: Memory
    ) -> Float[Tensor, "B T S"]:
        layers, chosen = self._decoder(), self.config.alignment_layer
        if chosen != "mean":
            return layers[chosen].weights(queries[chosen], memory)
        pairs = zip(layers, queries, strict=True)
        return torch.stack([layer.weights(query, memory) for layer, query in pairs]).mean(dim=0)

    def _decoder(self) -> list[ConvDecoderLayer]:
        return cast(list[ConvDecoderLayer], list(self.decoder))


def _embeddings(config: ConvS2SConfig) -> tuple[TokenEmbedding, TokenEmbedding]:
    """The source's and the target's; dropout comes behind the positions."""
    source, target = (
        TokenEmbedding(vocab, config.embedding_dim, pad=config.pad)
        for vocab in (config.source_vocab, config.target_vocab)
    )
    for table in (source, target):
        nn.init.normal_(table.weight, std=0.1)
        with torch.no_grad():
            table.weight[config.pad].zero_()
    return (target, target) if config.shared else (source, target)
