"""What was right of what, sentence by sentence: shares with intervals."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .match_counts import Counts, Resampling, interval
from .score import Score


class Hits(NamedTuple):
    r"""How many were right in every sentence, and how many there were.

    .. math:: 100 \cdot \sum_s \text{hits}_s / \sum_s \text{total}_s
    """

    counts: Counts
    """(S, 2): hits and total of every sentence."""
    name: str = "accuracy"

    @classmethod
    def of(cls, predicted: Sequence[Sequence[object]], gold: Sequence[Sequence[object]]) -> "Hits":
        """Of labels, those of every sentence side by side."""
        rows = [
            (sum(a == b for a, b in zip(one, other, strict=True)), len(other))
            for one, other in zip(predicted, gold, strict=True)
        ]
        return cls(np.array(rows, dtype=np.int64).reshape(-1, 2))

    def value(self, total: Counts) -> float:
        """The share of sums, from 0 to 100; 0 of nothing."""
        return 100 * float(total[0]) / float(total[1]) if total[1] else 0.0

    def score(self, resampling: Resampling | None = None) -> Score:
        """The share over all sentences, with its interval if that is asked for."""
        found = None if resampling is None else interval(self, resampling)
        return Score(self.value(self.counts.sum(axis=0)), self.name, "micro average", found)
