"""Cells inside a loop whose input is partly known before it begins.

The cell's input is [known; fed]: ``known`` for all steps, e.g. embeddings, ``fed`` from the step
before, e.g. a context. What is known meets its columns of the input matrix once, for all steps at
once; a step is left with what is not. The numbers are those of the cell's own step.
"""

import torch
from torch.nn.functional import linear

from regard.cells import GRU, LSTM, HiddenMemory
from regard.types import Float, Tensor

from .deferred import LoopMatrix
from .gru_layer import compiled_for, gru_step


class LSTMLoop:
    """The steps of an :class:`regard.cells.LSTM`.

    Args:
        cell: whose parameters are used.
        known: width of the part of the input that is known.
    """

    def __init__(self, cell: LSTM, *, known: int) -> None:
        weight = cell.input_proj.weight
        self._known, self._fed = weight[:, :known], LoopMatrix(weight[:, known:])
        self._hidden = LoopMatrix(cell.hidden_proj.weight)
        self.bias = cell.input_proj.bias

    def project(self, known: Float[Tensor, "B T K"]) -> tuple[Tensor, ...]:
        """What each step starts from."""
        return by_step(linear(known, self._known, self.bias))

    def step(self, start: Tensor, fed: Float[Tensor, "B F"], state: HiddenMemory) -> HiddenMemory:
        """The state after one step; ``start`` is one of :meth:`project`, or ``bias`` alone."""
        gates = self._hidden.added(self._fed.added(start, fed), state.hidden)
        i, f, g, o = gates.chunk(4, dim=-1)
        kept = torch.sigmoid(f) * state.memory
        memory = torch.addcmul(kept, torch.sigmoid(i), torch.tanh(g)).to(state.memory.dtype)
        hidden = (torch.sigmoid(o) * torch.tanh(memory)).to(state.hidden.dtype)
        return HiddenMemory(hidden, memory)


class GRULoop:
    """The steps of a :class:`regard.cells.GRU`.

    Args:
        cell: whose parameters are used.
        known: width of the part of the input that is known.
    """

    def __init__(self, cell: GRU, *, known: int) -> None:
        weight = cell.input_proj.weight
        self._known, self._fed = weight[:, :known], LoopMatrix(weight[:, known:])
        self._bias, self._own_bias = cell.input_proj.bias, cell.hidden_proj.bias
        self._sizes = [2 * cell.hidden_dim, cell.hidden_dim]
        own = cell.hidden_proj.weight
        if cell.reset == "after":
            self._own, self._gated = [LoopMatrix(own)], self._reset_after
        else:
            self._own = [LoopMatrix(part) for part in own.split(self._sizes)]
            self._gated = self._reset_before

    def project(self, known: Float[Tensor, "B T K"]) -> tuple[Tensor, ...]:
        """What each step starts from."""
        return by_step(linear(known, self._known, self._bias))

    def step(
        self, start: Tensor, fed: Float[Tensor, "B F"], hidden: Float[Tensor, "B H"]
    ) -> Float[Tensor, "B H"]:
        """The state after one step; ``start`` is one of :meth:`project`."""
        inputs = self._fed.added(start, fed)
        if self._gated == self._reset_after and compiled_for(inputs, hidden):
            return gru_step(inputs, self._own[0].added(self._own_bias, hidden), hidden)
        z, candidate = self._gated(inputs, hidden)
        return torch.addcmul(candidate, z, hidden - candidate).to(hidden.dtype)

    def _reset_after(self, inputs: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
        of_x, x_h = inputs.split(self._sizes, dim=-1)
        of_h, h_h = self._own[0].added(self._own_bias, hidden).split(self._sizes, dim=-1)
        r, z = torch.sigmoid(of_x + of_h).chunk(2, dim=-1)
        return z, torch.tanh(torch.addcmul(x_h, r, h_h))

    def _reset_before(self, inputs: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
        of_x, x_h = inputs.split(self._sizes, dim=-1)
        gates, own = self._own
        r, z = torch.sigmoid(gates.added(of_x, hidden)).chunk(2, dim=-1)
        return z, torch.tanh(own.added(x_h, r * hidden))


def by_step(x: Float[Tensor, "B T D"]) -> tuple[Tensor, ...]:
    """The rows of every step, each in one piece of memory."""
    return x.transpose(0, 1).contiguous().unbind(0)
