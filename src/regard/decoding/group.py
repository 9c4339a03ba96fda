"""A part of the beam, of every sentence: what it has put aside, and whether it goes on."""

import numpy as np

from regard.types import Bool, Float, Int

from .arrays import Array
from .expansion import Selected

NOTHING = -1
"""In the place of a token that nobody wrote."""


class Group:
    """One group of hypotheses of each sentence; from the first step on ``size`` of them, k.

    A group closes when as many of its hypotheses have ended, or when the limit cuts those that are
    open. It is beaten when none of these can come among the best any more: it need not go on for
    its own sake, but as long as others do its tokens count, so that what these find does not
    depend on how many are given back.

    Args:
        sentences: how many there are.
        size: hypotheses that go on.
        kept: how many of those that have ended can be given back.
    """

    def __init__(self, sentences: int, *, size: int, kept: int) -> None:
        self._size = size
        self.log_probs: Float[Array, "B b"] = np.zeros((sentences, 1))
        self._best: Float[Array, "B n"] = np.full((sentences, kept), -np.inf)
        self._ended = np.zeros(sentences, dtype=np.int64)
        self.closed: Bool[Array, " B"] = np.zeros(sentences, dtype=bool)
        self._beaten = np.zeros(sentences, dtype=bool)

    @property
    def over(self) -> Bool[Array, " B"]:
        """Where it needs no further step."""
        return self.closed | self._beaten

    def put_aside(self, ended: Bool[Array, "B e"], scores: Float[Array, " E"]) -> None:
        """Count what ends here; ``scores`` are those of ``ended``."""
        table = np.full(ended.shape, -np.inf)
        table[ended] = scores
        kept = self._best.shape[-1]
        self._best = -np.sort(-np.concatenate([self._best, table], axis=-1))[:, :kept]
        self._ended = self._ended + ended.sum(axis=-1)

    def go_on(self, chosen: Selected, possible: Float[Array, " B"]) -> Bool[Array, "B k"]:
        """Close where enough have ended, and tell which of ``chosen`` go on.

        Args:
            chosen: what there is to go on with.
            possible: the best score that one of these can end with.
        """
        self.log_probs = chosen.log_probs
        self.closed = self.closed | (self._ended >= self._size)
        going = (chosen.log_probs > -np.inf) & ~self.closed[:, None]
        self.closed = self.closed | ~going.any(axis=-1)
        self._beaten = self._best[:, -1] >= possible
        return going

    def leave(self, kept: Bool[Array, " B"]) -> None:
        """Go on with these sentences only."""
        self.log_probs, self._best = self.log_probs[kept], self._best[kept]
        self._ended, self.closed = self._ended[kept], self.closed[kept]
        self._beaten = self._beaten[kept]


def written(
    chosen: Selected, ended: Bool[Array, "B e"], going: Bool[Array, "B k"]
) -> Int[Array, "B n"]:
    """The token of every hypothesis that ends or goes on."""
    ends = np.where(ended, chosen.end_tokens, NOTHING)
    return np.concatenate([ends, np.where(going, chosen.tokens, NOTHING)], axis=-1)
