"""RNNsearch: the decoder that learned to align."""

from typing import Literal, NamedTuple

import torch
from torch import nn

from regard.cells import GRU, Bidirectional
from regard.nn import BahdanauAttention, Memory
from regard.types import Float, Int, Tensor

from ..choices import NormaliserName
from ..config import Seq2SeqConfig, Size
from ..dropout import Dropout
from ..embedding import embeddings
from ..output import Unembedding
from ..seq2seq import Decoded
from .base import RecurrentSeq2Seq, taken
from .encoder import both_ways
from .fast.loops import AttentionLoop, GRULoop
from .readout import Maxout, TanhReadout


class BahdanauConfig(Seq2SeqConfig):
    """Bahdanau et al. 2014; the sizes not given are those of RNNsearch."""

    kind: Literal["bahdanau"] = "bahdanau"
    embedding_dim: Size = 620
    """Width of the embeddings, m."""
    hidden_dim: Size = 1000
    """Width of a state, n; the encoder has two of them."""
    attention_dim: Size = 1000
    """Width of the alignment model's hidden layer, n′."""
    readout: Literal["maxout", "tanh"] = "maxout"
    """What comes before the output layer: maxout as in the paper, or one hidden layer."""
    readout_dim: Size = 500
    """Width of what the output layer reads, l."""
    reset: Literal["before", "after"] = "before"
    """Where the GRUs reset: before their matrix as in the paper, or after it, where they run
    fused."""
    normalise: NormaliserName = "softmax"
    """How scores become weights."""


class BahdanauState(NamedTuple):
    """The decoder's state s, what it looks at, and where it looked."""

    hidden: Float[Tensor, "B H"]
    memory: Memory
    weights: Float[Tensor, "B S"] | None = None

    def reorder(self, rows: Int[Tensor, " b"]) -> "BahdanauState":
        """The state of these elements of the batch."""
        return BahdanauState(
            self.hidden.index_select(0, rows),
            self.memory.reorder(rows),
            taken(self.weights, rows),
        )

    def joined(self, other: "BahdanauState") -> "BahdanauState":
        """The state of both batches, the elements of ``other`` behind ours; nobody looked yet."""
        hidden = torch.cat([self.hidden, other.hidden])
        return BahdanauState(hidden, self.memory.joined(other.memory))


class Bahdanau(RecurrentSeq2Seq):
    r"""RNNsearch: a GRU that looks at the source before every step.

    .. math::
        h_i &= [\overrightarrow h_i; \overleftarrow h_i], \quad
        s_0 = \tanh(W_s \overleftarrow h_1 + b_s) \\
        c_t &= \sum_i \alpha_{ti} h_i, \quad
        \alpha_t = \text{softmax}_i(v^\top \tanh(W_a s_{t-1} + U_a h_i)) \\
        s_t &= \text{GRU}([E y_{t-1}; c_t], s_{t-1}) \\
        p(y_t) &= \text{softmax}(W_o \, \text{maxout}(U_o s_t + V_o E y_{t-1} + C_o c_t) + b)

    Bahdanau et al. 2014, appendix A.2 (https://arxiv.org/abs/1409.0473). Theirs → ours: the encoder
    → ``encoder``, W_s → ``bridge``, the alignment model → ``attention``, the decoder's matrices →
    ``cell``, U_o, V_o, C_o → ``readout``, W_o → ``output``. The context comes from the *previous*
    state and enters the update. The output reads the new state s_t, as their Eq. 4 says. E y is √m
    times a row of the embedding, which begins small: it learns faster so.

    The encoder runs fused with ``reset="after"``; readout and output layer follow the loop for all
    steps at once. The loop runs ``cell`` as ``fast.loops.GRULoop`` and ``attention`` as
    ``fast.loops.AttentionLoop``; ``tests/models/rnn/fast/test_loops.py`` compares them.
    """

    config: BahdanauConfig

    def __init__(self, config: BahdanauConfig) -> None:
        super().__init__()
        self.config = config
        width, hidden = config.embedding_dim, config.hidden_dim
        self.source_embedding, self.target_embedding = embeddings(config, width)
        right, left = (GRU(width, hidden, reset=config.reset) for _ in range(2))
        self.encoder = Bidirectional(right, left)
        self.bridge = nn.Linear(hidden, hidden)
        self.attention = BahdanauAttention(
            hidden, 2 * hidden, config.attention_dim, normalise=config.normalise
        )
        self.cell = GRU(width + 2 * hidden, hidden, reset=config.reset)
        readout = {"maxout": Maxout, "tanh": TanhReadout}[config.readout]
        self.readout = readout(3 * hidden + width, config.readout_dim)
        self.dropout = Dropout(config.dropout)
        tied_to = self.target_embedding if config.tied else None
        self.output = Unembedding(config.readout_dim, config.target_vocab, tied_to=tied_to)

    def start(self, source: Int[Tensor, "B S"], source_lengths: Int[Tensor, " B"]) -> BahdanauState:
        """The source read both ways, its keys projected, and s_0."""
        keys, last = both_ways(self.encoder, self.source_embedding(source), source_lengths)
        hidden = torch.tanh(self.bridge(last))  # (B, H)
        return BahdanauState(hidden, self.attention.prepare(keys, source_lengths))

    def advance(
        self, target: Int[Tensor, "B T"], state: BahdanauState, *, aligned: bool
    ) -> tuple[Decoded, BahdanauState]:
        """A loop of looking and updating, then the readout of all steps."""
        embedded = self.target_embedding(target)  # (B, T, M)
        loop = GRULoop(self.cell, known=self.config.embedding_dim)
        look = AttentionLoop(self.attention, state.memory)
        hidden, weights = state.hidden, state.weights
        states, contexts, looks = [], [], []
        for start in loop.project(embedded):
            context, weights = look.step(hidden)  # (B, 2H), (B, S)
            hidden = loop.step(start, context, hidden)  # (B, H)
            states.append(hidden)
            contexts.append(context)
            looks.append(weights)
        features = self.readout(torch.stack(states, 1), torch.stack(contexts, 1), embedded)
        decoded = Decoded(self.dropout(features), torch.stack(looks, 1) if aligned else None)
        return decoded, BahdanauState(hidden, state.memory, weights)


def bahdanau_small(*, source_vocab: int, target_vocab: int) -> BahdanauConfig:
    """256 wide, with GRUs that run fused."""
    return BahdanauConfig(
        source_vocab=source_vocab,
        target_vocab=target_vocab,
        embedding_dim=256,
        hidden_dim=256,
        attention_dim=256,
        readout_dim=256,
        reset="after",
    )


def bahdanau_paper(*, source_vocab: int, target_vocab: int) -> BahdanauConfig:
    """RNNsearch with the sizes of the paper, which drops nothing."""
    return BahdanauConfig(source_vocab=source_vocab, target_vocab=target_vocab, dropout=0.0)
