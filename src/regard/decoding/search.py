"""The protocol of a search strategy: what the decoding loop asks of it in every step."""

from typing import NamedTuple, Protocol, runtime_checkable

from regard.types import Float, Int, Tensor

from .batches import Sources
from .hypothesis import Hypothesis
from .rules import Rules

Done = list[tuple[int, list[Hypothesis]]]
"""Sentences that need no further step, by their place in the batch, with their answers."""


class Move(NamedTuple):
    """What comes out of a step."""

    tokens: Int[Tensor, " r"]
    """What each row that goes on has written."""
    rows: Int[Tensor, " r"] | None
    """The rows they go on from; ``None``: all go on as they are."""
    done: Done


@runtime_checkable
class Search(Protocol):
    """A strategy at work on one batch: rows of hypotheses, which come and go."""

    def move(self, logits: Float[Tensor, "R V"], looks: Float[Tensor, "R S"] | None) -> Move:
        """What is written next, given what the model says of each row and where it looked."""


@runtime_checkable
class Strategy(Protocol):
    """A way to choose: a frozen value, which knows nothing of the model."""

    @property
    def width(self) -> int:
        """Rows of a sentence at the start."""

    @property
    def rows(self) -> int:
        """Rows of a sentence at most."""

    @property
    def looks(self) -> bool:
        """Whether it chooses by where the model looked."""

    def search(self, sources: Sources, rules: Rules) -> Search:
        """The strategy at work on a batch."""
