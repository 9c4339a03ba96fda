"""Sums by sums, text by text: means with intervals, comparable like any other score."""

from typing import NamedTuple

from .match_counts import Counts, Resampling, interval
from .score import Score


class Ratio(NamedTuple):
    r"""What was added up in every text, and over how many.

    .. math:: c \cdot \sum_s a_s / \sum_s n_s
    """

    counts: Counts
    """(S, 2): sum and number of every text."""
    name: str
    scale: float = 1.0
    """c."""

    def value(self, total: Counts) -> float:
        """The mean of what was summed; 0 of nothing."""
        return self.scale * float(total[0]) / float(total[1]) if total[1] else 0.0

    def score(self, resampling: Resampling | None = None) -> Score:
        """The mean over all texts, with its interval if that is asked for."""
        found = None if resampling is None else interval(self, resampling)
        return Score(self.value(self.counts.sum(axis=0)), self.name, "ratio of sums", found)
