"""Counts of n-gram matches, sentence by sentence: the score of a selection is that of the sum."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regard.extras import need

from .references import References, match_references, reference_streams
from .score import Score

MetricName = Literal["BLEU", "chrF2"]

Counts = NDArray[Any]


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
