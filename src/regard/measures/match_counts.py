"""Counts of n-gram matches by sentence, and confidence intervals from them by the bootstrap.

The score of any selection of sentences is that of the sum of their counts.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from regard.config import Config
from regard.extras import need

from .references import References, match_references, reference_streams
from .score import Interval, Score

MetricName = Literal["BLEU", "chrF2"]

Counts = NDArray[Any]


@runtime_checkable
class Counted(Protocol):
    """Whole numbers of every sentence, whose sum makes a score."""

    @property
    def counts(self) -> Counts:
        """One row per sentence."""

    def value(self, total: Counts) -> float:
        """The score of counts that were summed up, from 0 to 100."""

    def score(self) -> Score:
        """The score of all sentences."""


class MatchCounts(NamedTuple):
    """Matches and totals of every sentence."""

    counts: Counts
    """One row per sentence, whole numbers."""
    name: MetricName
    """As sacrebleu writes it: the 2 of chrF is the weight of recall."""
    signature: str
    metric: Any
    """The metric of sacrebleu, which turns sums into a score."""

    def value(self, total: Counts) -> float:
        """The score of counts that were summed up, from 0 to 100."""
        return float(self.metric._compute_score_from_stats(total.tolist()).score)

    def score(self) -> Score:
        """The score of all sentences."""
        return Score(self.value(self.counts.sum(axis=0)), self.name, self.signature)


def count_matches(
    name: MetricName, hypotheses: Sequence[str], references: References
) -> MatchCounts:
    """The counts of every sentence.

    sacrebleu keeps the two methods used here to itself, though its own significance tests are
    made of them; the alternative is its seed, which can be set in the environment only.

    Raises:
        ShapeError: more hypotheses than references, or fewer.
        InputError: nothing to compare, or a sentence without a reference.
        MissingExtraError: sacrebleu is not installed.
    """
    metrics = need("sacrebleu.metrics", name)
    metric: Any = metrics.BLEU(force=True) if name == "BLEU" else metrics.CHRF()
    streams = reference_streams(match_references(hypotheses, references))
    counts = metric._extract_corpus_statistics(hypotheses, streams)
    return MatchCounts(np.array(counts, dtype=np.int64), name, str(metric.get_signature()), metric)


class Resampling(Config):
    """The test over and over again, as it could have been."""

    samples: int = Field(default=1000, ge=1)
    """How often; the time grows with it."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """Share of the samples that lie in an interval."""
    seed: int = Field(default=0, ge=0)
    """The same seed draws the same samples."""


def draw_samples(sentences: int, resampling: Resampling) -> Iterator[Counts]:
    """How often each sentence is in each sample, which are as large as the test."""
    generator = np.random.default_rng(resampling.seed)
    for _ in range(resampling.samples):
        chosen = generator.integers(sentences, size=sentences)
        yield np.bincount(chosen, minlength=sentences)


def interval(found: Counted, resampling: Resampling) -> Interval:
    """The interval of a score by the bootstrap, Koehn 2004 (https://aclanthology.org/W04-3250).

    Sentences are drawn with replacement; the interval lies between percentiles of the samples.
    """
    times = draw_samples(len(found.counts), resampling)
    return percentiles([found.value(row @ found.counts) for row in times], resampling)


def percentiles(values: Sequence[float], resampling: Resampling) -> Interval:
    """What is left of ``values`` without equal shares of the lowest and the highest."""
    outside = (1 - resampling.confidence) / 2
    low, high = np.quantile(values, [outside, 1 - outside])
    return Interval(float(low), float(high), resampling.confidence)
