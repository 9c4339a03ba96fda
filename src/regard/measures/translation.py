"""BLEU and chrF of a corpus by sacrebleu, exact matches, and BLEU by the length of the source."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from regard.data.pairs.lines import composed
from regard.errors import RangeError, ShapeError

from .match_counts import MetricName, Resampling, count_matches, interval
from .references import References, match_references
from .score import Score


def bleu(
    hypotheses: Sequence[str], references: References, *, resampling: Resampling | None = None
) -> Score:
    r"""BLEU: matching word sequences, and a penalty for being short.

    .. math:: 100 \cdot \min(1, e^{1 - r/c}) \cdot \Big(\prod_{n=1}^{4} p_n\Big)^{1/4}

    Papineni et al. 2002 (https://aclanthology.org/P02-1040); as sacrebleu computes it, Post 2018
    (https://arxiv.org/abs/1804.08771).

    Args:
        hypotheses: running text, one per sentence.
        references: of every sentence; their number may differ.
        resampling: how to find a confidence interval; ``None`` does without.

    Raises:
        ShapeError: more hypotheses than references, or fewer.
        InputError: nothing to compare, or a sentence without a reference.
    """
    return _score("BLEU", hypotheses, references, resampling)


def chrf(
    hypotheses: Sequence[str], references: References, *, resampling: Resampling | None = None
) -> Score:
    r"""chrF: matching character sequences up to length 6, recall counting twice as much.

    .. math:: 100 \cdot \frac{(1 + 2^2) P R}{2^2 P + R}

    Popović 2015 (https://aclanthology.org/W15-3049), as sacrebleu computes it. Of several
    references the nearest counts.

    Args:
        hypotheses: running text, one per sentence.
        references: of every sentence; their number may differ.
        resampling: how to find a confidence interval; ``None`` does without.

    Raises:
        ShapeError: more hypotheses than references, or fewer.
        InputError: nothing to compare, or a sentence without a reference.
    """
    return _score("chrF2", hypotheses, references, resampling)


def _score(
    name: MetricName,
    hypotheses: Sequence[str],
    references: References,
    resampling: Resampling | None,
) -> Score:
    found = count_matches(name, hypotheses, references)
    if resampling is None:
        return found.score()
    return found.score()._replace(interval=interval(found, resampling))


def exact(hypotheses: Sequence[str], references: References) -> float:
    """The share of hypotheses, from 0 to 1, that equal one of their references.

    Text counts in composed form (NFC); how much space is between words does not.

    Raises:
        ShapeError: more hypotheses than references, or fewer.
        InputError: nothing to compare, or a sentence without a reference.
    """
    wanted = [
        {_plain(text) for text in texts} for texts in match_references(hypotheses, references)
    ]
    hits = [_plain(text) in texts for text, texts in zip(hypotheses, wanted, strict=True)]
    return sum(hits) / len(hits)


def _plain(text: str) -> str:
    return " ".join(composed(text).split())


EDGES = (10, 20, 30, 40, 50, 60)


class Bucket(NamedTuple):
    """The sentences whose sources are of similar length."""

    shortest: int
    """Words of a source at least."""
    longest: int | None
    """Words of a source at most; ``None`` without a bound."""
    sentences: int
    """How many there are."""
    bleu: Score | None
    """``None`` if there is no sentence."""
    exact: float | None
    """Share of sentences that equal a reference; ``None`` if there is no sentence."""

    @property
    def label(self) -> str:
        """Such as ``"11–20"``."""
        return f"{self.shortest}+" if self.longest is None else f"{self.shortest}–{self.longest}"


def by_length(
    hypotheses: Sequence[str],
    references: References,
    sources: Sequence[str],
    *,
    edges: Sequence[int] = EDGES,
) -> list[Bucket]:
    """BLEU per bucket of source length, in words between spaces.

    The curve of Cho et al. 2014 (https://arxiv.org/abs/1409.1259) and of Bahdanau et al. 2015,
    figure 2.

    Args:
        hypotheses: running text, one per sentence.
        references: of every sentence; their number may differ.
        sources: what was translated.
        edges: the longest length of every bucket but the last, which has no bound.

    Raises:
        RangeError: edges that do not grow, or start below 1.
        ShapeError: hypotheses, references and sources of different number.
        InputError: nothing to compare, or a sentence without a reference.
    """
    if any(low >= high for low, high in pairwise((0, *edges))):
        raise RangeError(f"edges must grow and start at 1 or more, got {tuple(edges)}")
    wanted = match_references(hypotheses, references)
    if len(sources) != len(hypotheses):
        raise ShapeError(
            f"every hypothesis needs its source, got {len(hypotheses)} hypotheses and "
            f"{len(sources)} sources"
        )
    groups: list[list[int]] = [[] for _ in (*edges, None)]
    for row, source in enumerate(sources):
        groups[bisect_left(edges, len(source.split()))].append(row)
    bounds = zip((0, *[edge + 1 for edge in edges]), (*edges, None), strict=True)
    return [
        _bucket(*bound, [hypotheses[row] for row in rows], [wanted[row] for row in rows])
        for bound, rows in zip(bounds, groups, strict=True)
    ]


def _bucket(
    shortest: int, longest: int | None, hypotheses: list[str], references: list[tuple[str, ...]]
) -> Bucket:
    if not hypotheses:
        return Bucket(shortest, longest, 0, None, None)
    return Bucket(
        shortest,
        longest,
        len(hypotheses),
        bleu(hypotheses, references),
        exact(hypotheses, references),
    )
