"""A Transformer that decodes batch after batch with the same parameters, packed once."""

from functools import cached_property
from typing import TYPE_CHECKING

from regard.types import Float, Int, Tensor

from ..padding import trimmed
from ..state import TransformerState
from .backend import DecodingBackend
from .compiled import compiled_backend
from .paged import PagedState
from .plan import plan

if TYPE_CHECKING:
    from ..model import Transformer

WORTH_PACKING = 12
"""Sentences at once from which on the first of them make up for packing the weights."""


class SteadyTransformer:
    """Lays weights out once, for all that is decoded; the numbers are the model's.

    A first few sentences are decoded as ever: their answer is there before weights are packed, and
    before a machine that has never done so has compiled what reads them.

    Args:
        model: its parameters stay as they are.
    """

    def __init__(self, model: "Transformer") -> None:
        self._model = model
        self._started = False

    def start(
        self, source: Int[Tensor, "B S"], source_lengths: Int[Tensor, " B"]
    ) -> TransformerState | PagedState:
        """The state before the first token."""
        lasting = self._started or len(source) >= WORTH_PACKING
        self._started = True
        chosen = plan(self._model, trimmed(source, source_lengths), lasting=lasting)
        backend = self._compiled if chosen.name == "compiled" else None
        return self._model.start(source, source_lengths, backend=backend)

    def step(
        self, tokens: Int[Tensor, " B"], state: TransformerState | PagedState
    ) -> tuple[Float[Tensor, "B V"], TransformerState | PagedState]:
        """Logits of the next token after ``tokens``, and the state behind them."""
        return self._model.step(tokens, state)

    def last_weights(self, state: TransformerState | PagedState) -> Float[Tensor, "B S"] | None:
        """Where the last step looked; ``None`` before the first."""
        return self._model.last_weights(state)

    @cached_property
    def _compiled(self) -> DecodingBackend:
        return compiled_backend(self._model)
