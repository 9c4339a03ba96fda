"""Luong's decoder: look with the current state, then decide."""

from typing import Literal, NamedTuple

import torch

from regard.cells import HiddenMemory, Recurrent, Stack, StackState
from regard.cells.lstm import LSTM
from regard.nn import AttentionalState, Memory
from regard.types import Float, Int, Tensor

from ..choices import Directions
from ..config import Probability, Seq2SeqConfig, Size
from ..dropout import Dropout
from ..embedding import embeddings
from ..output import Unembedding
from ..seq2seq import Decoded, Drawn
from ..widths import fed_widths
from .attention_configs import AttentionConfig, Global
from .attentions import StepResult, stacked
from .base import RecurrentSeq2Seq, behind, taken
from .encoder import Encoder, new_cell
from .fast.loops import LSTMLoop


class LuongConfig(Seq2SeqConfig):
    """Luong, Pham and Manning 2015; the sizes not given are those of the paper."""

    kind: Literal["luong"] = "luong"
    embedding_dim: Size = 1000
    """Width of the embeddings."""
    hidden_dim: Size = 1000
    """Width of the states of encoder and decoder, and of h̃."""
    num_layers: Size = 4
    """LSTM layers of the encoder, and of the decoder."""
    directions: Directions = "right"
    """Whether the encoder reads to the right as in the paper, or both ways."""
    attention: AttentionConfig = Global()
    """Where the decoder looks: global, local-m, local-p or hard, each with its score."""
    input_feeding: bool = True
    """The next step sees h̃ beside its token. Without it all steps are decoded at once."""
    dropout: Probability = 0.2
    """Probability with which a feature is dropped in training."""


class LuongState(NamedTuple):
    """The decoder's layers, what is fed back, what it looks at, and where it looked."""

    layers: StackState
    fed: Float[Tensor, "B H"]
    """h̃ of the last step, zeros before the first."""
    memory: Memory
    steps: int = 0
    """How many steps were made, if the attention asks for it; otherwise 0."""
    weights: Float[Tensor, "B S"] | None = None

    def reorder(self, rows: Int[Tensor, " b"]) -> "LuongState":
        """The state of these elements of the batch."""
        return self._replace(
            layers=self.layers.reorder(rows),
            fed=self.fed.index_select(0, rows),
            memory=self.memory.reorder(rows),
            weights=taken(self.weights, rows),
        )

    def joined(self, other: "LuongState") -> "LuongState | None":
        """The state of both batches, the elements of ``other`` behind ours; nobody looked yet.

        ``None`` where windows go with the steps, and the batches have not come equally far.
        """
        if self.steps != other.steps:
            return None
        return self._replace(
            layers=StackState(behind(self.layers.layers, other.layers.layers)),
            fed=torch.cat([self.fed, other.fed]),
            memory=self.memory.joined(other.memory),
            weights=None,
        )


class Luong(RecurrentSeq2Seq):
    r"""Stacked LSTMs whose highest state looks at the source, and is joined with what it saw.

    .. math::
        h_t &= \text{LSTM}([E y_{t-1}; \tilde h_{t-1}], h_{t-1}) \\
        c_t &= \sum_i a_t(i) \bar h_i, \quad a_t = \text{align}(h_t, \bar h) \\
        \tilde h_t &= \tanh(W_c [c_t; h_t]), \quad p(y_t) = \text{softmax}(W_s \tilde h_t + b)

    Luong et al. 2015, section 3 (https://arxiv.org/abs/1508.04025). Theirs → ours: align →
    ``attention``, W_c → ``attentional``, W_s → ``output``; h̃ enters the next step with input
    feeding (section 3.3) only. The attention comes from the *current* state. Each layer of the
    decoder starts with the last state of the encoder's. Dropped are, as in Zaremba et al. 2014
    (https://arxiv.org/abs/1409.2329), embeddings, what goes from layer to layer, and h̃ before the
    output layer. Differs from the paper: the source is not turned around.

    With input feeding the cells run as ``fast.loops.LSTMLoop``;
    ``tests/models/rnn/fast/test_loops.py`` compares them. Without it nothing waits for a step to
    end: the decoder runs fused, and all its states look at once. Hard attention draws its positions
    in training; :attr:`Decoded.drawn` then holds what :class:`regard.nn.ReinforceLoss` needs.
    """

    config: LuongConfig

    def __init__(self, config: LuongConfig) -> None:
        super().__init__()
        self.config = config
        width, hidden = config.embedding_dim, config.hidden_dim
        self.source_embedding, self.target_embedding = embeddings(config, width)
        self.encoder = Encoder(
            "lstm",
            input_dim=width,
            hidden_dim=hidden,
            num_layers=config.num_layers,
            directions=config.directions,
            dropout=config.dropout,
        )
        lowest = width + hidden if config.input_feeding else width
        widths = fed_widths(lowest, hidden, config.num_layers)
        cells = [new_cell("lstm", fed, hidden) for fed in widths]
        self.decoder = Recurrent(Stack(cells, dropout=config.dropout))
        self.attention = config.attention.build(hidden, hidden)
        self.attentional = AttentionalState(hidden, hidden, hidden)
        self.dropout = Dropout(config.dropout)
        tied_to = self.target_embedding if config.tied else None
        self.output = Unembedding(hidden, config.target_vocab, tied_to=tied_to)

    def start(self, source: Int[Tensor, "B S"], source_lengths: Int[Tensor, " B"]) -> LuongState:
        """The source read, its keys projected."""
        keys, layers = self.encoder(self.source_embedding(source), source_lengths)
        nothing = keys.new_zeros(keys.shape[0], self.config.hidden_dim)
        return LuongState(layers, nothing, self.attention.prepare(keys, source_lengths))

    def advance(
        self, target: Int[Tensor, "B T"], state: LuongState, *, aligned: bool
    ) -> tuple[Decoded, LuongState]:
        """A loop with input feeding, all at once without."""
        embedded = self.target_embedding(target)
        go = self._one_by_one if self.config.input_feeding else self._at_once
        attentional, seen, layers = go(embedded, state, aligned)
        features = self.dropout(attentional)
        drawn = None
        if seen.log_prob is not None and seen.entropy is not None:
            drawn = Drawn(seen.log_prob, seen.entropy, lasting=self.config.input_feeding)
        weights = None if seen.weights is None else seen.weights[:, -1]
        after = state._replace(
            layers=layers,
            fed=attentional[:, -1],
            steps=state.steps + self.config.attention.moves * target.shape[1],
            weights=weights,
        )
        return Decoded(features, seen.weights if aligned else None, drawn), after

    def _at_once(
        self, embedded: Tensor, state: LuongState, aligned: bool
    ) -> tuple[Tensor, StepResult, StackState]:
        states, layers = self.decoder(embedded, state.layers)
        seen = self.attention.all_steps(states, state.memory, step=state.steps, aligned=aligned)
        return self.attentional(context=seen.context, state=states), seen, layers

    def _one_by_one(
        self, embedded: Tensor, state: LuongState, aligned: bool
    ) -> tuple[Tensor, StepResult, StackState]:
        lowest, *higher = self._loops()
        layers, fed = [_lstm_state(layer) for layer in state.layers.layers], state.fed
        attentional, results = [], []
        for step, start in enumerate(lowest.project(embedded), start=state.steps):
            layers[0] = lowest.step(start, fed, layers[0])
            for number, loop in enumerate(higher, start=1):
                below = self.dropout(layers[number - 1].hidden)
                layers[number] = loop.step(loop.bias, below, layers[number])
            highest = layers[-1].hidden
            one_step = self.attention.one_step(highest, state.memory, step=step)
            fed = self.attentional(context=one_step.context, state=highest)
            attentional.append(fed)
            results.append(one_step)
        return torch.stack(attentional, dim=1), stacked(results), StackState(tuple(layers))

    def _loops(self) -> list[LSTMLoop]:
        stack = self.decoder.cell
        assert isinstance(stack, Stack)
        cells = [cell for cell in stack.cells if isinstance(cell, LSTM)]
        known = [self.config.embedding_dim, *[0] * (len(cells) - 1)]
        return [LSTMLoop(cell, known=width) for cell, width in zip(cells, known, strict=True)]


def _lstm_state(state: object) -> HiddenMemory:
    assert isinstance(state, HiddenMemory)
    return state
