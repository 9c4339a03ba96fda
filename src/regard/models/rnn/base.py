"""The base of recurrent models: teacher forcing is a loop of decoder steps."""

from abc import abstractmethod
from typing import Any, TypeVar

import torch

from regard.types import Float, Int, Tensor

from ..seq2seq import Decoded, Seq2Seq


class RecurrentSeq2Seq(Seq2Seq):
    """A model whose decoder advances from a state, over one token or over many."""

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


States = TypeVar("States", bound=tuple[Any, ...])


def behind(states: States, others: States) -> States:
    """Two batches of states as one: tensors in tuples of tuples, elements in the first axis."""
    pairs = zip(states, others, strict=True)
    both = (torch.cat(pair) if isinstance(pair[0], Tensor) else behind(*pair) for pair in pairs)
    return type(states)(*both) if hasattr(states, "_fields") else type(states)(both)


def taken(x: Tensor | None, rows: Int[Tensor, " b"]) -> Tensor | None:
    """These elements of a batch, if there is one."""
    return None if x is None else x.index_select(0, rows)
