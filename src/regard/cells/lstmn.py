"""Long short-term memory-network: an LSTM that attends over a tape of its own past."""

from typing import NamedTuple

import torch
from torch import nn

from regard.errors import DtypeError, ShapeError
from regard.functional.asked import Asked
from regard.functional.events import Kind, Observable
from regard.functional.masks import dense
from regard.functional.scores import Additive
from regard.functional.value import require_sizes
from regard.functional.weigh import weigh
from regard.mechanism import mechanism
from regard.papers import CHENG_2016
from regard.types import Bool, Float, Int, Tensor

from .base import Cell
from .lengths import checked_lengths, length_mask


class Tape(NamedTuple):
    """One slot per step: its projected key, its hidden state, its memory.

    ``allowed`` says which slots may be looked at, True = may; ``None`` is all of them. Slots that a
    finished sequence did not fill are on the tape, for the batch to stay one tensor, but hidden.
    """

    key: Float[Tensor, "*B K A"]
    hidden: Float[Tensor, "*B K H"]
    memory: Float[Tensor, "*B K H"]
    allowed: Bool[Tensor, "*B K"] | None = None

    def append(
        self,
        key: Float[Tensor, "*B A"],
        hidden: Float[Tensor, "*B H"],
        memory: Float[Tensor, "*B H"],
    ) -> "Tape":
        """One slot more."""
        allowed = self.allowed
        if allowed is not None:
            allowed = torch.cat([allowed, torch.ones_like(allowed[..., :1])], dim=-1)
        return Tape(
            torch.cat([self.key, key.unsqueeze(-2).to(self.key.dtype)], dim=-2),
            torch.cat([self.hidden, hidden.unsqueeze(-2)], dim=-2),
            torch.cat([self.memory, memory.unsqueeze(-2)], dim=-2),
            allowed,
        )

    def pool(self, weights: Float[Tensor, "*B K"]) -> tuple[Tensor, Tensor]:
        """The weighted means of hidden states and memories; zeros where nothing is allowed."""
        rows = weights.unsqueeze(-2).to(self.hidden.dtype)
        hidden, memory = rows @ self.hidden, rows @ self.memory
        return (
            hidden.squeeze(-2).to(self.hidden.dtype),
            memory.squeeze(-2).to(self.memory.dtype),
        )

    def reorder(self, rows: Int[Tensor, " b"]) -> "Tape":
        """The tapes of these elements of the batch."""
        allowed = None if self.allowed is None else self.allowed.index_select(0, rows)
        key, hidden, memory = (part.index_select(0, rows) for part in self[:3])
        return Tape(key, hidden, memory, allowed)

    def detach(self) -> "Tape":
        """The same numbers without their history."""
        return Tape(self.key.detach(), self.hidden.detach(), self.memory.detach(), self.allowed)

    def where(self, active: Bool[Tensor, "*B"], otherwise: "Tape") -> "Tape":
        """Of the slots that ``otherwise`` does not have yet, finished sequences see none."""
        old = otherwise.allowed
        if old is None:
            old = torch.ones(otherwise.key.shape[:-1], dtype=torch.bool, device=active.device)
        new = active.unsqueeze(-1).expand(*active.shape, self.key.shape[-2] - old.shape[-1])
        return self._replace(allowed=torch.cat([old, new], dim=-1))


class TapeAttention(Observable):
    r"""Additive attention over a tape.

    .. math:: a_i = v^\top \tanh(W_k h_i + W_q q), \quad s = \text{softmax}(a)

    O(K A) per step in time and memory, for keys W_k h_i that were projected when their slot was
    written.

    Args:
        query_dim: width of q.
        key_dim: width of h_i.
        attention_dim: A, width of the hidden layer.
        kind: whether the tape is of its own past or of another sequence.
    """

    def __init__(
        self, *, query_dim: int, key_dim: int, attention_dim: int, kind: Kind = "self"
    ) -> None:
        super().__init__()
        self.kind = kind
        self.query_proj = nn.Linear(query_dim, attention_dim, bias=False)
        self.key_proj = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Parameter(torch.zeros(attention_dim))

    def forward(self, query: Float[Tensor, "*B Dq"], tape: Tape) -> tuple[Tensor, Tensor]:
        """The weighted means of the hidden states and of the memories of all slots."""
        mask = None if tape.allowed is None else dense(tape.allowed.unsqueeze(-2))
        projected = self.query_proj(query).unsqueeze(-2).to(tape.key.dtype)
        score = Additive(self.v)
        weights = weigh(projected, tape.key, score=score, mask=mask)  # (*B, 1, K)
        if not self.observed:
            return tape.pool(weights.squeeze(-2))
        asked = Asked(
            projected, tape.key, tape.hidden, score, mask, kind=self.kind, training=self.training
        )
        for edit in self.edits:
            weights = edit.weights(asked, weights)
        hidden, memory = tape.pool(weights.squeeze(-2))
        for edit in self.edits:
            hidden = edit.replaced(asked, hidden.unsqueeze(-2)).squeeze(-2)
        if self.watchers:
            self.notify(asked.told(hidden.unsqueeze(-2), weights))
        return hidden, memory

    def read(
        self,
        hidden: Float[Tensor, "*B K H"],
        memory: Float[Tensor, "*B K Hm"],
        mask: Tensor | None,
    ) -> Tape:
        """The tape of another sequence, its keys projected once.

        Args:
            hidden: what is looked at.
            memory: what is pooled beside it.
            mask: booleans (*B, K), True = may attend, or lengths (*B,).

        Raises:
            ShapeError: widths or lengths that do not fit.
        """
        needed = self.key_proj.in_features
        if hidden.shape[-1] != needed or memory.shape != hidden.shape:
            raise ShapeError(
                f"a source needs hidden states and memories of width {needed} and one shape, got "
                f"{tuple(hidden.shape)} and {tuple(memory.shape)}"
            )
        key = self.key_proj(hidden).to(hidden.dtype)
        return Tape(key, hidden, memory, _allowed(mask, hidden))


def _allowed(mask: Tensor | None, hidden: Tensor) -> Tensor | None:
    if mask is None:
        return None
    if mask.is_floating_point():
        raise DtypeError(
            "a mask over a source needs booleans (*B, K), True = may attend, or whole lengths "
            f"(*B,), got {mask.dtype}"
        )
    if mask.dtype != torch.bool:
        return length_mask(checked_lengths(mask, hidden), hidden.shape[-2])
    if mask.shape != hidden.shape[:-1]:
        raise ShapeError(
            f"a mask over a source needs one boolean per slot, {tuple(hidden.shape[:-1])}, got "
            f"{tuple(mask.shape)}"
        )
    return mask


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
        added: Float[Tensor, "*B H"] | None = None,
    ) -> tuple[Float[Tensor, "*B H"], LSTMNState]:
        """One step; ``added`` comes to the new memory, as in :class:`DeepFusion`."""
        self.check(x, state.hidden)
        asking = torch.cat([x, state.summary], dim=-1)
        summary, past = self.intra(asking, state.tape)  # h̃, c̃
        seen = summary if hidden_mask is None else summary * hidden_mask
        fed = self.input_proj(x) + self.hidden_proj(seen)
        i, f, g, o = fed.chunk(4, dim=-1)
        memory = torch.sigmoid(f) * past + torch.sigmoid(i) * torch.tanh(g)
        memory = (memory if added is None else memory + added).to(state.memory.dtype)
        hidden = (torch.sigmoid(o) * torch.tanh(memory)).to(state.hidden.dtype)
        tape = state.tape.append(self.intra.key_proj(hidden), hidden, memory)
        return hidden, LSTMNState(hidden, memory, summary, tape)
