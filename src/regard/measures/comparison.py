"""Paired comparison of two systems on one test set: interval and p value of the difference."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from .match_counts import (
    Counted,
    MetricName,
    Resampling,
    count_matches,
    draw_samples,
    percentiles,
)
from .references import References
from .score import Interval, Score


class Comparison(NamedTuple):
    """Two systems on the same sentences."""

    first: Score
    second: Score
    interval: Interval
    """Of :attr:`difference`, by the paired bootstrap, Koehn 2004. It knows no sentences but these:
    of a handful it is far too narrow."""
    p_value: float
    """How probable a difference at least this large, up or down, is between systems that are
    equally good: approximate randomisation, Riezler and Maxwell 2005. Never below
    :math:`2^{1 - n}` with n sentences :attr:`apart`, for so few are the ways to exchange them."""
    apart: int
    """Sentences on which the two are not counted alike."""

    @property
    def difference(self) -> float:
        """What the second is ahead of the first; negative if it is behind."""
        return self.second.value - self.first.value

    @property
    def caution(self) -> str | None:
        """That no difference could be told from chance with so few sentences, if it is so."""
        needed = 1 - self.interval.confidence
        if self.apart == 0 or _least(self.apart) <= needed:
            return None
        return f"the systems differ on {self.apart} sentences: too few for a p below {needed:.2g}"

    def __str__(self) -> str:
        found = (
            f"{self.first.name} {self.first.value:.1f} and {self.second.value:.1f}: difference "
            f"{self.difference:+.1f} {self.interval}, p = {self.p_value:.3g}"
        )
        return f"{found} ({self.caution})" if self.caution else found


def compare_systems(
    first: Sequence[str],
    second: Sequence[str],
    references: References,
    *,
    metric: MetricName = "BLEU",
    resampling: Resampling | None = None,
) -> Comparison:
    """The difference of two systems in BLEU or chrF, and what it is worth.

    Koehn 2004 (https://aclanthology.org/W04-3250); Riezler and Maxwell 2005
    (https://aclanthology.org/W05-0908).

    Args:
        first: hypotheses of one system.
        second: hypotheses of the other, for the same sentences.
        references: of every sentence.
        metric: what is compared.
        resampling: how often and with which seed; without it 1000 times.

    Raises:
        ShapeError: more hypotheses than references, or fewer.
        InputError: nothing to compare, or a sentence without a reference.
    """
    one, other = (count_matches(metric, texts, references) for texts in (first, second))
    return compare_counts(one, other, resampling)


def compare_counts(
    one: Counted, other: Counted, resampling: Resampling | None = None
) -> Comparison:
    """The same of any score that is made of sums over sentences.

    Args:
        one: counts of one system.
        other: of the other, for the same sentences.
        resampling: how often and with which seed; without it 1000 times.
    """
    resampling = resampling or Resampling()
    return Comparison(
        one.score(),
        other.score(),
        percentiles(list(_of_samples(one, other, resampling)), resampling),
        _p_value(one, other, resampling),
        _apart(one, other),
    )


def _of_samples(one: Counted, other: Counted, resampling: Resampling) -> Iterator[float]:
    """The difference in every sample of sentences."""
    for times in draw_samples(len(one.counts), resampling):
        yield other.value(times @ other.counts) - one.value(times @ one.counts)


def _p_value(one: Counted, other: Counted, resampling: Resampling) -> float:
    """The share of differences at least as large when either system's sentence is anyone's.

    The systems as they are count as one of the samples, so that it is never 0; what is drawn never
    makes it less than the share among all exchanges could be.
    """
    generator = np.random.default_rng(resampling.seed)
    totals = one.counts.sum(axis=0), other.counts.sum(axis=0)
    gap = other.counts - one.counts
    seen = abs(other.value(totals[1]) - one.value(totals[0]))
    extreme = 1
    for _ in range(resampling.samples):
        moved = generator.integers(2, size=len(gap)) @ gap
        extreme += abs(other.value(totals[1] - moved) - one.value(totals[0] + moved)) >= seen
    return max(extreme / (resampling.samples + 1), _least(_apart(one, other)))


def _apart(one: Counted, other: Counted) -> int:
    """Sentences that are not counted alike."""
    return int((one.counts != other.counts).any(axis=1).sum())


def _least(apart: int) -> float:
    """The systems as they are and all exchanged differ as much, among 2 to the n ways."""
    return 2.0 ** (1 - apart) if apart else 1.0
