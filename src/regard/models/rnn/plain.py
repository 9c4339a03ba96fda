"""Encoder and decoder with nothing between them but one state."""

from typing import Annotated, Any, Literal, NamedTuple

import torch
from pydantic import Field, model_validator

from regard.cells import Recurrent, Stack, StackState
from regard.types import Float, Int, Tensor

from ..choices import CellName, Directions
from ..config import Seq2SeqConfig, Size
from ..dropout import Dropout
from ..embedding import embeddings
from ..output import Unembedding
from ..seq2seq import Decoded
from ..widths import fed_widths
from .base import RecurrentSeq2Seq, behind
from .encoder import Encoder, new_cell


class PlainConfig(Seq2SeqConfig):
    """An encoder–decoder without attention."""

    kind: Literal["plain"] = "plain"
    cell: CellName = "lstm"
    """Cell of encoder and decoder: ``rnn``, ``lstm`` or ``gru``."""
    embedding_dim: Size = 1000
    """Width of the embeddings."""
    hidden_dim: Size = 1000
    """Width of the states, which is all the decoder ever sees of the source."""
    num_layers: Annotated[int, Field(ge=1)] = 4
    """Layers of the encoder, and of the decoder."""
    directions: Directions = "right"
    """Whether the encoder reads to the right, or both ways."""
    context: Literal["start", "every_step"] = "start"
    """Whether the decoder starts with the last state, or is shown it in every step too."""

    @model_validator(mode="after")
    def _nothing_to_point_with(self) -> "PlainConfig":
        if self.copying is not None:
            raise ValueError("copying needs a model that looks at its source, plain ones do not")
        return self


class PlainState(NamedTuple):
    """The decoder's layers, and the context it is shown."""

    layers: StackState
    context: Float[Tensor, "B H"]
    weights: None = None

    def reorder(self, rows: Int[Tensor, " b"]) -> "PlainState":
        """The state of these elements of the batch."""
        return PlainState(self.layers.reorder(rows), self.context.index_select(0, rows))

    def joined(self, other: "PlainState") -> "PlainState":
        """The state of both batches, the elements of ``other`` behind ours."""
        context = torch.cat([self.context, other.context])
        return PlainState(StackState(behind(self.layers.layers, other.layers.layers)), context)


class Plain(RecurrentSeq2Seq):
    r"""The bottleneck: all of the source in the encoder's last state.

    .. math:: c = h_S, \quad s_0 = c, \quad s_t = \text{cell}(y_{t-1} \,[; c], s_{t-1}), \quad
              p(y_t) = \text{softmax}(W_o s_t + b)

    Sutskever et al. 2014 (https://arxiv.org/abs/1409.3215), where every layer of the decoder starts
    with the last state of the same layer; with ``context="every_step"`` the decoder also sees c,
    the highest of these states, in every step, as in Cho et al. 2014
    (https://arxiv.org/abs/1406.1078).
    Encoder and decoder both run fused. Differs from the papers: the source is not turned around
    (read it both ways instead), and an LSTM's forget gate starts with a bias of 1.
    """

    config: PlainConfig

    def __init__(self, config: PlainConfig) -> None:
        super().__init__()
        self.config = config
        width, hidden = config.embedding_dim, config.hidden_dim
        self.source_embedding, self.target_embedding = embeddings(config, width)
        self.encoder = Encoder(
            config.cell,
            input_dim=width,
            hidden_dim=hidden,
            num_layers=config.num_layers,
            directions=config.directions,
            dropout=config.dropout,
        )
        shown = width + hidden if config.context == "every_step" else width
        widths = fed_widths(shown, hidden, config.num_layers)
        cells = [new_cell(config.cell, fed, hidden) for fed in widths]
        self.decoder = Recurrent(Stack(cells, dropout=config.dropout))
        self.dropout = Dropout(config.dropout)
        tied_to = self.target_embedding if config.tied else None
        self.output = Unembedding(hidden, config.target_vocab, tied_to=tied_to)

    def start(self, source: Int[Tensor, "B S"], source_lengths: Int[Tensor, " B"]) -> PlainState:
        """The encoder's last states, and nothing else."""
        _, layers = self.encoder(self.source_embedding(source), source_lengths)
        highest: Any = layers.layers[-1]
        return PlainState(layers, highest.hidden)

    def advance(
        self, target: Int[Tensor, "B T"], state: PlainState, *, aligned: bool
    ) -> tuple[Decoded, PlainState]:
        """All steps in the fused kernel."""
        fed = self.target_embedding(target)  # (B, T, M)
        if self.config.context == "every_step":
            shown = state.context.unsqueeze(-2).expand(-1, fed.shape[-2], -1)  # (B, T, H)
            fed = torch.cat([fed, shown], dim=-1)  # (B, T, M + H)
        features, layers = self.decoder(fed, state.layers)  # (B, T, H)
        return Decoded(self.dropout(features), None), state._replace(layers=layers)


def lstm_plain_small(*, source_vocab: int, target_vocab: int) -> PlainConfig:
    """Two layers of 256, read both ways."""
    return PlainConfig(
        source_vocab=source_vocab,
        target_vocab=target_vocab,
        embedding_dim=256,
        hidden_dim=256,
        num_layers=2,
        directions="both",
    )


def gru_plain_small(*, source_vocab: int, target_vocab: int) -> PlainConfig:
    """Cho et al. 2014: one layer of GRUs that see the context in every step."""
    small = lstm_plain_small(source_vocab=source_vocab, target_vocab=target_vocab)
    return small.model_copy(update={"cell": "gru", "num_layers": 1, "context": "every_step"})


def rnn_plain_small(*, source_vocab: int, target_vocab: int) -> PlainConfig:
    """The simplest one: a simple recurrent network."""
    small = gru_plain_small(source_vocab=source_vocab, target_vocab=target_vocab)
    return small.model_copy(update={"cell": "rnn"})


def lstm_plain_sutskever(*, source_vocab: int, target_vocab: int) -> PlainConfig:
    """The sizes of Sutskever et al. 2014: four layers of 1000."""
    return PlainConfig(source_vocab=source_vocab, target_vocab=target_vocab, dropout=0.0)
