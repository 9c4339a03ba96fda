"""Google's neural machine translation system: deep, with residuals, attention from the bottom."""

from typing import Annotated, Literal, NamedTuple

import torch
from pydantic import Field
from torch import nn

from regard.cells import LSTM, HiddenMemory, Recurrent
from regard.nn import BahdanauAttention, Memory
from regard.types import Float, Int, Tensor

from ..choices import NormaliserName
from ..config import Probability, Seq2SeqConfig, Size
from ..dropout import Dropout
from ..embedding import embeddings
from ..output import Unembedding
from ..seq2seq import Decoded
from .base import RecurrentSeq2Seq, behind, taken
from .fast.loops import AttentionLoop, LSTMLoop
from .gnmt_encoder import GNMTEncoder


class GNMTConfig(Seq2SeqConfig):
    """Wu et al. 2016; the sizes not given are those of the paper."""

    kind: Literal["gnmt"] = "gnmt"
    embedding_dim: Size = 1024
    """Width of the embeddings."""
    hidden_dim: Size = 1024
    """Width of the states."""
    attention_dim: Size = 1024
    """Width of the attention's hidden layer."""
    encoder_layers: Size = 8
    """LSTM layers of the encoder; the first reads both ways."""
    decoder_layers: Size = 8
    """LSTM layers of the decoder."""
    residual_from: Annotated[int, Field(ge=3)] = 3
    """The first layer, counted from 1, whose input is added to its output."""
    normalise: NormaliserName = "softmax"
    """How scores become weights."""
    dropout: Probability = 0.2
    """Probability with which a feature is dropped in training."""


class GNMTState(NamedTuple):
    """The decoder's layers, what it looks at, and where it looked."""

    layers: tuple[HiddenMemory, ...]
    memory: Memory
    weights: Float[Tensor, "B S"] | None = None

    def reorder(self, rows: Int[Tensor, " b"]) -> "GNMTState":
        """The state of these elements of the batch."""
        layers = tuple(layer.reorder(rows) for layer in self.layers)
        return GNMTState(layers, self.memory.reorder(rows), taken(self.weights, rows))

    def joined(self, other: "GNMTState") -> "GNMTState":
        """The state of both batches, the elements of ``other`` behind ours; nobody looked yet."""
        return GNMTState(behind(self.layers, other.layers), self.memory.joined(other.memory))


class GNMT(RecurrentSeq2Seq):
    r"""Deep stacks of LSTMs, the source looked at by the lowest layer of the decoder.

    .. math::
        c_t &= \sum_i \alpha_{ti} h_i, \quad
        \alpha_t = \text{softmax}_i(v^\top \tanh(W y^1_{t-1} + U h_i)) \\
        y^1_t &= \text{LSTM}_1([E y_{t-1}; c_t]), \quad
        y^\ell_t = \text{LSTM}_\ell([y^{\ell-1}_t; c_t]) \; [+ \; y^{\ell-1}_t
        \text{ for } \ell \ge 3] \\
        p(y_t) &= \text{softmax}(W_o y^L_t + b)

    Wu et al. 2016, section 3 (https://arxiv.org/abs/1609.08144), for any number of layers. The
    attention needs the lowest layer alone, so only that one runs in a loop; the layers above run
    fused, one after the other, over all steps. The decoder starts from zeros, of which the paper
    does not speak. Dropped are embeddings, inputs of layers and what the output layer reads. The
    loop runs ``lowest`` as ``fast.loops.LSTMLoop`` and ``attention`` as
    ``fast.loops.AttentionLoop``; ``tests/models/rnn/fast/test_loops.py`` compares them.
    """

    config: GNMTConfig

    def __init__(self, config: GNMTConfig) -> None:
        super().__init__()
        self.config = config
        width, hidden = config.embedding_dim, config.hidden_dim
        self.source_embedding, self.target_embedding = embeddings(config, width)
        self.encoder = GNMTEncoder(
            width,
            hidden,
            num_layers=config.encoder_layers,
            residual_from=config.residual_from,
            dropout=config.dropout,
        )
        seen = self.encoder.output_dim
        self.attention = BahdanauAttention(
            hidden, seen, config.attention_dim, normalise=config.normalise
        )
        self.lowest = LSTM(width + seen, hidden, forget_bias=1.0)
        self.higher = nn.ModuleList(
            Recurrent(LSTM(hidden + seen, hidden, forget_bias=1.0))
            for _ in range(config.decoder_layers - 1)
        )
        self.dropout = Dropout(config.dropout)
        tied_to = self.target_embedding if config.tied else None
        self.output = Unembedding(hidden, config.target_vocab, tied_to=tied_to)

    def start(self, source: Int[Tensor, "B S"], source_lengths: Int[Tensor, " B"]) -> GNMTState:
        """The source read, its keys projected."""
        keys = self.encoder(self.source_embedding(source), source_lengths)  # (B, S, H)
        zeros = self.lowest.start(keys.shape[0])
        memory = self.attention.prepare(keys, source_lengths)
        return GNMTState((zeros,) * self.config.decoder_layers, memory)

    def advance(
        self, target: Int[Tensor, "B T"], state: GNMTState, *, aligned: bool
    ) -> tuple[Decoded, GNMTState]:
        """The lowest layer step by step, then each layer above it at once."""
        loop = LSTMLoop(self.lowest, known=self.config.embedding_dim)
        look = AttentionLoop(self.attention, state.memory)
        lowest, weights = state.layers[0], state.weights
        outputs, contexts, looks = [], [], []
        for start in loop.project(self.target_embedding(target)):
            context, weights = look.step(lowest.hidden)  # (B, H), (B, S)
            lowest = loop.step(start, context, lowest)  # hidden (B, H)
            outputs.append(lowest.hidden)
            contexts.append(context)
            looks.append(weights)
        features, higher = self._climb(
            torch.stack(outputs, dim=1), torch.stack(contexts, dim=1), state.layers[1:]
        )
        decoded = Decoded(self.dropout(features), torch.stack(looks, dim=1) if aligned else None)
        return decoded, GNMTState((lowest, *higher), state.memory, weights)

    def _climb(
        self, x: Tensor, contexts: Tensor, states: tuple[HiddenMemory, ...]
    ) -> tuple[Tensor, list[HiddenMemory]]:
        """The layers above the lowest."""
        after = []
        for number, (layer, state) in enumerate(zip(self.higher, states, strict=True), start=2):
            outputs, state = layer(torch.cat([self.dropout(x), contexts], dim=-1), state)
            x = outputs + x if number >= self.config.residual_from else outputs
            after.append(state)
        return x, after


def gnmt_8(*, source_vocab: int, target_vocab: int) -> GNMTConfig:
    """The paper's: 8 + 8 layers of 1024."""
    return GNMTConfig(source_vocab=source_vocab, target_vocab=target_vocab)


def gnmt_4(*, source_vocab: int, target_vocab: int) -> GNMTConfig:
    """4 + 4 layers of 512, for one GPU."""
    return GNMTConfig(
        source_vocab=source_vocab,
        target_vocab=target_vocab,
        embedding_dim=512,
        hidden_dim=512,
        attention_dim=512,
        encoder_layers=4,
        decoder_layers=4,
    )


def gnmt_small(*, source_vocab: int, target_vocab: int) -> GNMTConfig:
    """3 + 3 layers of 256, the fewest that have a residual."""
    four = gnmt_4(source_vocab=source_vocab, target_vocab=target_vocab)
    sizes = ("embedding_dim", "hidden_dim", "attention_dim")
    small = {**dict.fromkeys(sizes, 256), "encoder_layers": 3, "decoder_layers": 3}
    return four.model_copy(update={**small, "dropout": 0.1})
