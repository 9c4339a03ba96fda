"""Confidence intervals of a corpus score by the bootstrap."""

from collections.abc import Iterator, Sequence

import numpy as np
from pydantic import Field

from regard.config import Config

from .match_counts import Counts, MatchCounts
from .score import Interval


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


def interval(found: MatchCounts, resampling: Resampling) -> Interval:
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
