"""Long short-term memory-network: an LSTM that attends over its own past."""

from typing import NamedTuple

import torch
from torch import nn

from regard.functional.value import require_sizes
from regard.mechanism import mechanism
from regard.papers import CHENG_2016
from regard.types import Bool, Float, Int, Tensor

from .base import Cell, seen
from .tape import Tape, TapeAttention


class LSTMNState(NamedTuple):
    """The last h and c, the last summary h̃ of the past, and the tape of all steps so far."""

    hidden: Float[Tensor, "*B H"]
    memory: Float[Tensor, "*B H"]
    summary: Float[Tensor, "*B H"]
    tape: Tape

    def reorder(self, rows: Int[Tensor, " b"]) -> "LSTMNState":
        """The state of these elements of the batch."""
        hidden, memory, summary = (part.index_select(0, rows) for part in self[:3])
        return LSTMNState(hidden, memory, summary, self.tape.reorder(rows))

    def detach(self) -> "LSTMNState":
        """The same numbers without their history."""
        hidden, memory, summary = (part.detach() for part in self[:3])
        return LSTMNState(hidden, memory, summary, self.tape.detach())

    def where(self, active: Bool[Tensor, "*B"], otherwise: "LSTMNState") -> "LSTMNState":
        """Finished sequences keep what they had and see no new slot."""
        rows = active.unsqueeze(-1)
        pairs = zip(self[:3], otherwise[:3], strict=True)
        hidden, memory, summary = (new.where(rows, old) for new, old in pairs)
        return LSTMNState(hidden, memory, summary, self.tape.where(active, otherwise.tape))


@mechanism(
    "attention over LSTM (LSTMN)",
    family="ways of attending",
    equation="aᵢ = vᵀ tanh(W_h hᵢ + W_x xₜ + W_h̃ h̃ₜ₋₁)",
    cost="O(t A) at step t",
    paper=CHENG_2016,
)
class LSTMN(Cell[LSTMNState]):
    r"""Long short-term memory-network.

    .. math::
        a^t_i &= v^\top \tanh(W_h h_i + W_x x_t + W_{\tilde h} \tilde h_{t-1}), \quad
        s^t = \text{softmax}(a^t) \\
        [\tilde h_t; \tilde c_t] &= \sum_{i<t} s^t_i [h_i; c_i] \\
        (i, f, o, \hat c) &= (\sigma, \sigma, \sigma, \tanh)(W [\tilde h_t; x_t] + b) \\
        c_t &= f \odot \tilde c_t + i \odot \hat c, \quad h_t = o \odot \tanh c_t

    Cheng, Dong and Lapata 2016, section 3.2 (https://arxiv.org/abs/1601.06733). Theirs → ours: W_x
    and W_h̃ → the columns of ``intra.query_proj``, W_h → ``intra.key_proj``, v → ``intra.v``; the
    columns of W for x → ``input_proj`` (with b), for h̃ → ``hidden_proj``, rows in the order i, f,
    ĉ, o. In the first step there is nothing to look at: h̃ and c̃ are zero. Step t costs O(t A) in
    time and memory: the keys W_h h_i are projected once and stay on the tape, which is part of the
    state. Where it looks is seen by ``regard.lens.capture`` under the name ``intra``, one look of
    t − 1 keys per step.

    Args:
        input_dim: width of x_t.
        hidden_dim: width of h_t and c_t.
        attention_dim: A, width of the hidden layer of the score; ``None`` is ``hidden_dim``.
    """

    def __init__(
        self, input_dim: int, hidden_dim: int, *, attention_dim: int | None = None
    ) -> None:
        super().__init__(input_dim, hidden_dim)
        self.attention_dim = hidden_dim if attention_dim is None else attention_dim
        require_sizes("LSTMN", attention_dim=self.attention_dim)
        self.input_proj = nn.Linear(input_dim, 4 * hidden_dim)
        self.hidden_proj = nn.Linear(hidden_dim, 4 * hidden_dim, bias=False)
        self.intra = TapeAttention(
            query_dim=input_dim + hidden_dim, key_dim=hidden_dim, attention_dim=self.attention_dim
        )
        self.reset_parameters()

    def start(self, *batch: int) -> LSTMNState:
        """Zeros, and an empty tape."""
        zeros, slots = self.zeros(*batch, self.hidden_dim), self.zeros(*batch, 0, self.hidden_dim)
        tape = Tape(self.zeros(*batch, 0, self.attention_dim), slots, slots)
        return LSTMNState(zeros, zeros, zeros, tape)

    def forward(
        self,
        x: Float[Tensor, "*B D"],
        state: LSTMNState,
        *,
        hidden_mask: Float[Tensor, "*B H"] | None = None,
    ) -> tuple[Float[Tensor, "*B H"], LSTMNState]:
        """One step; see :meth:`Cell.forward`."""
        return self.advance(x, state, hidden_mask=hidden_mask)

    def advance(
        self,
        x: Float[Tensor, "*B D"],
        state: LSTMNState,
        *,
        added: Float[Tensor, "*B H"] | None = None,
        hidden_mask: Float[Tensor, "*B H"] | None = None,
    ) -> tuple[Float[Tensor, "*B H"], LSTMNState]:
        """One step that adds something to the new memory, as :class:`DeepFusion` does."""
        self.check(x, state.hidden)
        weights = self.intra(torch.cat([x, state.summary], dim=-1), state.tape)
        summary, past = state.tape.pool(weights)  # h̃, c̃
        fed = self.input_proj(x) + self.hidden_proj(seen(summary, hidden_mask))
        i, f, g, o = fed.chunk(4, dim=-1)
        memory = torch.sigmoid(f) * past + torch.sigmoid(i) * torch.tanh(g)
        memory = (memory if added is None else memory + added).to(state.memory.dtype)
        hidden = (torch.sigmoid(o) * torch.tanh(memory)).to(state.hidden.dtype)
        tape = state.tape.append(self.intra.key_proj(hidden), hidden, memory)
        return hidden, LSTMNState(hidden, memory, summary, tape)
