"""Back pointers: the tokens of every step, each with the row it goes on from."""

from itertools import pairwise
from typing import NamedTuple

import torch

from regard.types import Float, Int, Tensor

from .arrays import Array
from .hypothesis import Hypothesis


class Ending(NamedTuple):
    """The end of a hypothesis, before anybody asked what it says."""

    step: int
    """The step that wrote its last token, be it the end of the sentence."""
    row: int
    """The row it went on from in this step."""
    token: int | None
    """The last token; ``None`` is the end of the sentence."""
    log_prob: float
    score: float


class _Column(NamedTuple):
    """One step: for each row behind it, what was written and the row before it."""

    tokens: list[int]
    parents: list[int] | None
    looks: Float[Tensor, "R S"] | None
    log_probs: list[float]
    """Of all that each row has written up to here."""


class BackPointers:
    """All steps of a batch. Nothing is copied as rows come and go; paths are walked at the end."""

    def __init__(self) -> None:
        self._columns = list[_Column]()
        self._looks: Tensor | None = None

    def look(self, looks: Float[Tensor, "R S"] | None) -> None:
        """Where the rows looked, before they write."""
        self._looks = looks

    def write(
        self,
        tokens: Int[Array, " r"],
        log_probs: Float[Array, " r"],
        parents: Int[Array, " r"] | None = None,
    ) -> None:
        """What the rows behind this step wrote, and the rows they go on from, if not their own."""
        rows = None if parents is None else parents.tolist()
        self._columns.append(_Column(tokens.tolist(), rows, self._looks, log_probs.tolist()))

    def hypothesis(self, ending: Ending, source_length: int) -> Hypothesis:
        """What leads to an ending."""
        tokens, rows, sums = self._path(ending)
        return Hypothesis(
            tuple(tokens),
            ending.score,
            ending.log_prob,
            ending.token is None,
            tuple(after - before for before, after in pairwise([0.0, *sums])),
            self._weights(rows, source_length),
        )

    def _path(self, ending: Ending) -> tuple[list[int], list[int], list[float]]:
        """The tokens, the row that each step went on from, and the log-probability behind it."""
        tokens, sums = [] if ending.token is None else [ending.token], [ending.log_prob]
        rows, row = [ending.row], ending.row
        for column in reversed(self._columns[: ending.step]):
            tokens.append(column.tokens[row])
            sums.append(column.log_probs[row])
            row = row if column.parents is None else column.parents[row]
            rows.append(row)
        return tokens[::-1], rows[::-1], sums[::-1]

    def _weights(self, rows: list[int], source_length: int) -> Float[Tensor, "T S"] | None:
        looks = [column.looks for column in self._columns]
        if len(rows) > len(looks):
            looks.append(self._looks)
        found = [
            look[row, :source_length]
            for look, row in zip(looks, rows, strict=False)
            if look is not None
        ]
        return torch.stack(found) if found else None
