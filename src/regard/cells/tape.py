"""A tape of what a cell has been through, and attention over it."""

from typing import NamedTuple

import torch
from torch import nn

from regard.errors import DtypeError, ShapeError
from regard.functional.events import Observable, StoredWeights
from regard.functional.masks import dense
from regard.functional.scores import Additive
from regard.functional.weigh import weigh
from regard.types import Bool, Float, Int, Tensor

from .lengths import settled, within


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
    """

    def __init__(self, *, query_dim: int, key_dim: int, attention_dim: int) -> None:
        super().__init__()
        self.query_proj = nn.Linear(query_dim, attention_dim, bias=False)
        self.key_proj = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Parameter(torch.zeros(attention_dim))

    def forward(self, query: Float[Tensor, "*B Dq"], tape: Tape) -> Float[Tensor, "*B K"]:
        """The weights of all slots."""
        mask = None if tape.allowed is None else dense(tape.allowed.unsqueeze(-2))
        projected = self.query_proj(query).unsqueeze(-2).to(tape.key.dtype)
        weights = weigh(projected, tape.key, score=Additive(self.v), mask=mask)
        if self.watchers:
            self.notify(StoredWeights(weights.detach()))
        return weights.squeeze(-2)

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
        return within(settled(mask, hidden), hidden.shape[-2])
    if mask.shape != hidden.shape[:-1]:
        raise ShapeError(
            f"a mask over a source needs one boolean per slot, {tuple(hidden.shape[:-1])}, got "
            f"{tuple(mask.shape)}"
        )
    return mask
