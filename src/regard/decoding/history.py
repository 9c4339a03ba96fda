"""The tokens that every row has written so far, for logits processors."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from regard.types import Int

from .top_k import Array

NOTHING = -1
"""Before the first token of a short beginning."""


@dataclass(frozen=True, eq=False)
class History:
    """The tokens of every row, beginning and all; short beginnings stand to the right."""

    tokens: Int[Array, "R n"]
    begun: int
    """Columns of the beginnings."""

    @staticmethod
    def beginning(begun: Sequence[Sequence[int]], width: int) -> "History":
        """Before the first step, ``width`` rows for each sentence."""
        longest = max(map(len, begun), default=0)
        rows = np.full((len(begun), longest), NOTHING, dtype=np.int64)
        for row, tokens in zip(rows, begun, strict=True):
            row[longest - len(tokens) :] = tokens
        return History(rows.repeat(width, axis=0), longest)

    def written(
        self, tokens: Int[Array, " r"], parents: Int[Array, " r"] | None = None
    ) -> "History":
        """A token further, each from the row it goes on from."""
        before = self.tokens if parents is None else self.tokens[parents]
        return History(np.concatenate([before, tokens[:, None]], axis=1), self.begun)
