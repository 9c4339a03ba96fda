"""Cells and attentions inside a loop over steps, of whose input a part is known before.

The cell's input is [known; fed]: ``known`` for all steps, e.g. embeddings, ``fed`` from the step
before, e.g. a context. What is known meets its columns of the input matrix once, for all steps at
once; a step is left with what is not. The numbers are those of the cell's own step, as are those
of an attention that looks at one memory in every step.
"""

from torch.nn.functional import linear

from regard.cells import GRU, LSTM, HiddenMemory
from regard.cells.gru import reset_after, reset_before
from regard.nn import Memory, StepAttention
from regard.types import Float, Tensor

from .deferred import LoopMatrix, LoopValues
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
        return LSTM.update(self._hidden.added(self._fed.added(start, fed), state.hidden), state)


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
        own = cell.hidden_proj.weight
        sizes = [len(own)] if cell.reset == "after" else [2 * cell.hidden_dim, cell.hidden_dim]
        self._own = [LoopMatrix(part) for part in own.split(sizes)]

    def project(self, known: Float[Tensor, "B T K"]) -> tuple[Tensor, ...]:
        """What each step starts from."""
        return by_step(linear(known, self._known, self._bias))

    def step(
        self, start: Tensor, fed: Float[Tensor, "B F"], hidden: Float[Tensor, "B H"]
    ) -> Float[Tensor, "B H"]:
        """The state after one step; ``start`` is one of :meth:`project`."""
        inputs = self._fed.added(start, fed)  # (B, 3H)
        if len(self._own) == 2:
            gates, own = (matrix.added for matrix in self._own)
            return reset_before(inputs, hidden, hidden, gates=gates, own=own)
        own_inputs = self._own[0].added(self._own_bias, hidden)  # (B, 3H)
        step = gru_step if compiled_for(inputs, hidden) else reset_after
        return step(inputs, own_inputs, hidden)


class AttentionLoop:
    """The looks of a :class:`regard.nn.StepAttention` at one memory, one state at a time.

    Args:
        attention: which attention.
        memory: prepared by it, one for all steps.
    """

    def __init__(self, attention: StepAttention, memory: Memory) -> None:
        self._attention, self._memory = attention, memory
        self._score = memory.seen_by(attention.score())
        self._values = LoopValues(memory.value)

    def step(
        self, state: Float[Tensor, "B H"]
    ) -> tuple[Float[Tensor, "B E"], Float[Tensor, "B S"]]:
        """Context and weights, those of the attention itself."""
        context, weights = self._attention.look(
            state.unsqueeze(-2), self._memory, score=self._score, pool=self._values.pooled
        )  # (B, 1, E), (B, 1, S)
        return context.squeeze(-2), weights.squeeze(-2)


def by_step(x: Float[Tensor, "B T D"]) -> tuple[Tensor, ...]:
    """The rows of every step, each in one piece of memory."""
    return x.transpose(0, 1).contiguous().unbind(0)
