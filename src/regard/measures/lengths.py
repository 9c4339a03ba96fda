"""Scores by the length of the source: what a model without attention loses in long sentences."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from regard.errors import RangeError, ShapeError

from .exact import exact
from .references import References, match_references
from .score import Score
from .translation import bleu

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
