"""Show, Attend and Tell: an LSTM that looks at a picture before every word."""

from typing import Literal, NamedTuple

import torch
from torch import nn

from regard.cells import LSTM, HiddenMemory
from regard.nn import Memory
from regard.types import Float, Int, Tensor

from ..config import Size
from ..dropout import Dropout
from ..embedding import TokenEmbedding
from ..output import Unembedding
from ..rnn.attentions import StepResult, stacked
from ..rnn.base import taken
from ..rnn.fast.loops import LSTMLoop
from ..seq2seq import Decoded, Drawn
from .captioner import Captioner, CaptionerConfig
from .grids import Annotations
from .looking import LookingConfig, Soft


class AttendTellConfig(CaptionerConfig):
    """Xu et al. 2015 (https://arxiv.org/abs/1502.03044)."""

    kind: Literal["attend-tell"] = "attend-tell"
    annotation_dim: Size = 256
    """D, width of an annotation vector."""
    embedding_dim: Size = 256
    """m, width of the embeddings and of what the output layer reads."""
    hidden_dim: Size = 256
    """n, width of the LSTM's state."""
    attention: LookingConfig = Soft()
    """How a state looks at the picture: soft, hard or none."""
    gated: bool = True
    """Whether the state says how much the picture counts for the next word: β."""


class AttendTellState(NamedTuple):
    """The LSTM's state, what it looks at, and where it looked."""

    layer: HiddenMemory
    memory: Memory
    weights: Float[Tensor, "B K"] | None = None

    def reorder(self, rows: Int[Tensor, " b"]) -> "AttendTellState":
        """The state of these elements of the batch."""
        hidden, memory = (one.index_select(0, rows) for one in self.layer)
        return AttendTellState(
            HiddenMemory(hidden, memory), self.memory.reorder(rows), taken(self.weights, rows)
        )


class AttendTell(Captioner):
    r"""An LSTM that looks at a picture before every word.

    .. math::
        c_0 &= f_c\bigl(\tfrac1K \textstyle\sum_i a_i\bigr), \quad
        h_0 = f_h\bigl(\tfrac1K \textstyle\sum_i a_i\bigr) \\
        \hat z_t &= \beta_t\, \phi(\{a_i\}, \alpha_t), \quad
        \alpha_t = \text{softmax}_i\, f_{att}(a_i, h_{t-1}), \quad
        \beta_t = \sigma(f_\beta(h_{t-1})) \\
        h_t &= \text{LSTM}([E y_{t-1}; \hat z_t], h_{t-1}) \\
        p(y_t) &= \text{softmax}(L_o \tanh(E y_{t-1} + L_h h_t + L_z \hat z_t))

    Xu et al. 2015, sections 3 and 4 (https://arxiv.org/abs/1502.03044). Theirs → ours: a →
    ``annotations``, f_att and φ → ``looking``, f_β → ``gate``, f_c and f_h → ``first_memory`` and
    ``first_hidden``, L_o → ``output``, L_h → ``from_hidden``, L_z → ``from_context``. Differs from
    the paper's Eq. 7 by the tanh, which their published code has.
    """

    config: AttendTellConfig

    def __init__(self, config: AttendTellConfig) -> None:
        super().__init__()
        self.config = config
        seen, width, hidden = config.annotation_dim, config.embedding_dim, config.hidden_dim
        self.annotations = Annotations(
            config.grid, seen, positions=config.positions, dropout=config.dropout
        )
        self.embedding = TokenEmbedding(
            config.vocab, width, pad=config.pad, dropout=config.dropout, factor=width**0.5
        )
        self.first_hidden, self.first_memory = nn.Linear(seen, hidden), nn.Linear(seen, hidden)
        self.looking = config.attention.build(hidden, seen)
        self.gate = nn.Linear(hidden, 1) if config.gated else None
        self.cell = LSTM(width + seen, hidden)
        self.from_hidden = nn.Linear(hidden, width)
        self.from_context = nn.Linear(seen, width, bias=False)
        self.dropout = Dropout(config.dropout)
        self.output = Unembedding(width, config.vocab)

    def read(self, pictures: Tensor) -> Float[Tensor, "B K D"]:
        """Annotation vectors."""
        return self.annotations(pictures)

    def start(self, pictures: Tensor, lengths: Int[Tensor, " B"] | None = None) -> AttendTellState:
        """The picture read, its keys projected, and the first state."""
        return self.start_at(self.read(pictures))

    def decode(
        self, places: Float[Tensor, "B K D"], target: Int[Tensor, "B T"], *, aligned: bool = False
    ) -> Decoded:
        """Features of all caption positions, and where they looked if ``aligned``."""
        return self._advance(target, self.start_at(places), aligned=aligned)[0]

    def step(
        self, tokens: Int[Tensor, " B"], state: AttendTellState
    ) -> tuple[Float[Tensor, "B V"], AttendTellState]:
        """Logits of the next token after ``tokens``, and the state behind them."""
        decoded, state = self._advance(tokens.unsqueeze(-1), state, aligned=True)
        return self.output(decoded.features.squeeze(-2)), state

    def last_weights(self, state: AttendTellState) -> Float[Tensor, "B K"] | None:
        """Where the last step looked; ``None`` before the first, or without attention."""
        return state.weights

    def start_at(self, places: Float[Tensor, "B K D"]) -> AttendTellState:
        """The first state, before some annotation vectors."""
        mean = places.mean(dim=1)
        layer = HiddenMemory(self.first_hidden(mean).tanh(), self.first_memory(mean).tanh())
        return AttendTellState(layer, self.looking.prepare(places))

    def _advance(
        self, target: Int[Tensor, "B T"], state: AttendTellState, *, aligned: bool
    ) -> tuple[Decoded, AttendTellState]:
        """A loop of looking and updating, then the deep output of all steps at once."""
        embedded, layer = self.embedding(target), state.layer
        loop = LSTMLoop(self.cell, known=self.config.embedding_dim)
        look = self.looking.begin(state.memory)
        states, results = [], []
        for start in loop.project(embedded):
            seen = look.step(layer.hidden)
            seen = seen._replace(context=self.gated(layer.hidden, seen.context))
            layer = loop.step(start, seen.context, layer)
            states.append(layer.hidden)
            results.append(seen)
        told = stacked(results)
        features = self.deep(embedded, torch.stack(states, dim=1), told.context)
        weights = None if told.weights is None else told.weights[:, -1]
        decoded = Decoded(features, told.weights if aligned else None, _drawn(told))
        return decoded, AttendTellState(layer, state.memory, weights)

    def gated(
        self, hidden: Float[Tensor, "B H"], context: Float[Tensor, "B D"]
    ) -> Float[Tensor, "B D"]:
        """What of a context the state lets through: β times all of it."""
        return context if self.gate is None else self.gate(hidden).sigmoid() * context

    def deep(
        self,
        embedded: Float[Tensor, "*B M"],
        states: Float[Tensor, "*B H"],
        contexts: Float[Tensor, "*B D"],
    ) -> Float[Tensor, "*B M"]:
        """What the output layer reads, their Eq. 7."""
        kept = self.dropout(states)
        mixed = embedded + self.from_hidden(kept) + self.from_context(contexts)
        return self.dropout(mixed.tanh())


def _drawn(told: StepResult) -> Drawn | None:
    """What REINFORCE asks for; later words depend on where earlier ones looked."""
    if told.log_prob is None or told.entropy is None:
        return None
    return Drawn(told.log_prob, told.entropy, lasting=True)
