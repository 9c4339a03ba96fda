"""Two sequences: an LSTMN that reads one while it looks at another."""

from typing import NamedTuple

import torch
from torch import nn

from regard.mechanism import mechanism
from regard.papers import CHENG_2016
from regard.types import Bool, Float, Int, Tensor

from .base import Cell
from .lstmn import LSTMN, LSTMNState, Tape, TapeAttention


class FusedState(NamedTuple):
    """The state of the target, the last summary of the source, and the source's tape."""

    target: LSTMNState
    summary: Float[Tensor, "*B H"]
    source: Tape

    @property
    def hidden(self) -> Float[Tensor, "*B H"]:
        """The last hidden state of the target."""
        return self.target.hidden

    def reorder(self, rows: Int[Tensor, " b"]) -> "FusedState":
        """The state of these elements of the batch, and their sources."""
        summary = self.summary.index_select(0, rows)
        return FusedState(self.target.reorder(rows), summary, self.source.reorder(rows))

    def detach(self) -> "FusedState":
        """The same numbers without their history."""
        return FusedState(self.target.detach(), self.summary.detach(), self.source.detach())

    def where(self, active: Bool[Tensor, "*B"], otherwise: "FusedState") -> "FusedState":
        """Finished sequences keep what they had."""
        summary = self.summary.where(active.unsqueeze(-1), otherwise.summary)
        target = self.target.where(active, otherwise.target)
        return FusedState(target, summary, self.source)


class _Fusion(Cell[FusedState]):
    """What both have in common: an LSTMN, and attention over a source."""

    cell: LSTMN
    inter: TapeAttention

    def start(self, *batch: int, source: Tape | None = None) -> FusedState:
        """Zeros, and what :meth:`read` made of the source."""
        if source is None:
            nothing = self.zeros(*batch, 0, self.hidden_dim)
            source = Tape(self.zeros(*batch, 0, self.cell.attention_dim), nothing, nothing)
        return FusedState(self.cell.start(*batch), self.zeros(*batch, self.hidden_dim), source)


@mechanism(
    "shallow fusion",
    family="ways of attending",
    equation="xₜ beside Σᵢ pᵢ γᵢ of the other sequence",
    cost="O((t + K) A) at step t",
    paper=CHENG_2016,
)
class ShallowFusion(_Fusion):
    r"""An LSTMN that is fed with what it finds in another sequence.

    .. math::
        b^t_j &= u^\top \tanh(W_\gamma \gamma_j + W_s h_{t-1}), \quad
        p^t = \text{softmax}(b^t), \quad \tilde\gamma_t = \sum_j p^t_j \gamma_j \\
        h_t &= \text{LSTMN}([x_t; \tilde\gamma_t])

    Cheng, Dong and Lapata 2016, section 4 (https://arxiv.org/abs/1601.06733): attention between the
    sequences as in Bahdanau et al. 2014 (https://arxiv.org/abs/1409.0473), beside the one within.
    Theirs → ours: γ_j → ``source.hidden``, u → ``inter.v``, W_γ → ``inter.key_proj``, W_s →
    ``inter.query_proj``. O((t + K) A) for step t over a source of K slots. Without a source the
    context is zero.

    Args:
        input_dim: width of x_t.
        hidden_dim: width of h_t and of the source's hidden states.
        attention_dim: width of the hidden layer of both scores; ``None`` is ``hidden_dim``.
    """

    def __init__(
        self, input_dim: int, hidden_dim: int, *, attention_dim: int | None = None
    ) -> None:
        super().__init__(input_dim, hidden_dim)
        self.cell = LSTMN(input_dim + hidden_dim, hidden_dim, attention_dim=attention_dim)
        self.inter = TapeAttention(
            kind="cross",
            query_dim=hidden_dim,
            key_dim=hidden_dim,
            attention_dim=self.cell.attention_dim,
        )
        self.reset_parameters()

    def read(self, hidden: Float[Tensor, "*B K H"], mask: Tensor | None = None) -> Tape:
        """The source, prepared once: hidden states, and booleans (*B, K) or lengths (*B,)."""
        return self.inter.read(hidden, hidden, mask)

    def forward(
        self,
        x: Float[Tensor, "*B D"],
        state: FusedState,
        *,
        hidden_mask: Float[Tensor, "*B H"] | None = None,
    ) -> tuple[Float[Tensor, "*B H"], FusedState]:
        """One step; see :meth:`Cell.forward`."""
        self.check(x, state.hidden)
        summary, _ = self.inter(state.hidden, state.source)
        fed = torch.cat([x.to(summary.dtype), summary], dim=-1)
        output, target = self.cell(fed, state.target, hidden_mask=hidden_mask)
        return output, FusedState(target, summary, state.source)


@mechanism(
    "deep fusion",
    family="ways of attending",
    equation="cₜ = r ⊙ α̃ₜ + f ⊙ c̃ₜ + i ⊙ ĉₜ",
    cost="O((t + K) A) at step t",
    paper=CHENG_2016,
)
class DeepFusion(_Fusion):
    r"""An LSTMN whose memory takes up the memory of another sequence.

    .. math::
        b^t_j &= u^\top \tanh(W_\gamma \gamma_j + W_x x_t + W_{\tilde\gamma} \tilde\gamma_{t-1}),
        \quad p^t = \text{softmax}(b^t) \\
        [\tilde\gamma_t; \tilde\alpha_t] &= \sum_j p^t_j [\gamma_j; \alpha_j], \quad
        r_t = \sigma(W_r [\tilde\gamma_t; x_t] + b_r) \\
        c_t &= r_t \odot \tilde\alpha_t + f_t \odot \tilde c_t + i_t \odot \hat c_t, \quad
        h_t = o_t \odot \tanh c_t

    Cheng, Dong and Lapata 2016, section 4 (https://arxiv.org/abs/1601.06733); the rest as in
    :class:`LSTMN`. Theirs → ours: γ_j, α_j → ``source.hidden``, ``source.memory``; u → ``inter.v``;
    W_γ → ``inter.key_proj``; W_x and W_γ̃ → the columns of ``inter.query_proj``; W_r →
    ``gate_proj``. O((t + K) A) for step t over a source of K slots. Without a source it is an
    LSTMN. Differs from the paper: r_t has a bias, as the other gates have.

    >>> _, read = Recurrent(encoder)(question)                  # encoder: an LSTMN
    >>> source = cell.read(read.tape.hidden, read.tape.memory, read.tape.allowed)
    >>> outputs, state = Recurrent(cell)(passage, cell.start(batch, source=source))

    Args:
        input_dim: width of x_t.
        hidden_dim: width of h_t and c_t, and of the source's hidden states and memories.
        attention_dim: width of the hidden layer of both scores; ``None`` is ``hidden_dim``.
    """

    def __init__(
        self, input_dim: int, hidden_dim: int, *, attention_dim: int | None = None
    ) -> None:
        super().__init__(input_dim, hidden_dim)
        self.cell = LSTMN(input_dim, hidden_dim, attention_dim=attention_dim)
        self.inter = TapeAttention(
            kind="cross",
            query_dim=input_dim + hidden_dim,
            key_dim=hidden_dim,
            attention_dim=self.cell.attention_dim,
        )
        self.gate_proj = nn.Linear(hidden_dim + input_dim, hidden_dim)
        self.reset_parameters()

    def read(
        self,
        hidden: Float[Tensor, "*B K H"],
        memory: Float[Tensor, "*B K Hm"],
        mask: Tensor | None = None,
    ) -> Tape:
        """The source, prepared once: hidden states, memories, and booleans or lengths."""
        return self.inter.read(hidden, memory, mask)

    def forward(
        self,
        x: Float[Tensor, "*B D"],
        state: FusedState,
        *,
        hidden_mask: Float[Tensor, "*B H"] | None = None,
    ) -> tuple[Float[Tensor, "*B H"], FusedState]:
        """One step; see :meth:`Cell.forward`."""
        self.check(x, state.hidden)
        asking = torch.cat([x, state.summary], dim=-1)
        summary, memory = self.inter(asking, state.source)  # γ̃, α̃
        gate = torch.sigmoid(self.gate_proj(torch.cat([summary, x], dim=-1)))
        output, target = self.cell(x, state.target, added=gate * memory, hidden_mask=hidden_mask)
        return output, FusedState(target, summary, state.source)
