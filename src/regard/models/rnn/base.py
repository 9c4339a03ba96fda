"""What recurrent models have in common: to read is to go on from the start with known tokens."""

from abc import abstractmethod
from typing import Any, TypeVar

import torch

from regard.nn import Memory, StepAttention
from regard.types import Float, Int, Tensor

from ..seq2seq import Decoded, Seq2Seq
from .deferred import LoopValues


class RecurrentSeq2Seq(Seq2Seq):
    """A model whose decoder goes on from a state, over one token or over many."""

    @abstractmethod
    def advance(
        self, target: Int[Tensor, "B T"], state: Any, *, aligned: bool
    ) -> tuple[Decoded, Any]:
        """Features of the positions behind ``state``, and the state behind them."""

    def decode_parallel(
        self,
        source: Int[Tensor, "B S"],
        source_lengths: Int[Tensor, " B"],
        target: Int[Tensor, "B T"],
        *,
        aligned: bool = False,
    ) -> Decoded:
        """Features of all target positions, and where they looked if ``aligned``."""
        return self.advance(target, self.start(source, source_lengths), aligned=aligned)[0]

    def step(self, tokens: Int[Tensor, " B"], state: Any) -> tuple[Float[Tensor, "B V"], Any]:
        """Logits of the next token after ``tokens``, and the state behind them."""
        decoded, state = self.advance(tokens.unsqueeze(-1), state, aligned=True)
        return self.output(decoded.features.squeeze(-2)), state

    def last_weights(self, state: Any) -> Float[Tensor, "B S"] | None:
        """Where the last step looked; ``None`` before the first, or where a model does not."""
        return state.weights


class StepLook:
    """An attention inside a loop over steps: what one state of each sequence sees of a memory.

    Args:
        attention: which attention.
        memory: prepared by it, one for all steps.
    """

    def __init__(self, attention: StepAttention, memory: Memory) -> None:
        self._attention, self._memory = attention, memory
        self._score = memory.seen_by(attention.score())
        self._values = LoopValues(memory.value)

    def __call__(
        self, state: Float[Tensor, "B H"]
    ) -> tuple[Float[Tensor, "B E"], Float[Tensor, "B S"]]:
        """Context and weights, those of the attention itself."""
        attention, memory = self._attention, self._memory
        weights = attention.weigh(
            attention.project_states(state.unsqueeze(-2)),
            memory.key,
            score=self._score,
            mask=memory.mask,
            normalise=attention.normalise,
        )  # (B, 1, S)
        return self._values.pooled(weights), weights.squeeze(-2)


States = TypeVar("States", bound=tuple[Any, ...])


def behind(states: States, others: States) -> States:
    """Two batches of states as one: tensors in tuples of tuples, elements in the first axis."""
    pairs = zip(states, others, strict=True)
    both = (torch.cat(pair) if isinstance(pair[0], Tensor) else behind(*pair) for pair in pairs)
    return type(states)(*both) if hasattr(states, "_fields") else type(states)(both)


def taken(x: Tensor | None, rows: Int[Tensor, " b"]) -> Tensor | None:
    """These elements of a batch, if there is one."""
    return None if x is None else x.index_select(0, rows)
