"""Alignment error rate: how well links agree with gold ones, and how both are written.

Sure links are ``0-0``, possible ones ``1?2`` or ``1p2``.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from regard.data.pairs import Links
from regard.data.pairs.lines import Line, lines, name_of
from regard.errors import InputError, ShapeError


class Gold(NamedTuple):
    """The links that people drew."""

    sure: Links
    possible: Links = frozenset()
    """Links that may be there or not; the sure ones are possible too, named or not."""

    @property
    def allowed(self) -> Links:
        """All links that are no mistake."""
        return self.sure | self.possible


@dataclass(frozen=True, kw_only=True)
class AlignmentScore:
    r"""Precision, recall and error rate of predicted links A.

    .. math::

        \text{precision} = \frac{|A \cap P|}{|A|} \qquad
        \text{recall} = \frac{|A \cap S|}{|S|} \qquad
        \text{AER} = 1 - \frac{|A \cap S| + |A \cap P|}{|A| + |S|}

    Och and Ney 2003 (https://aclanthology.org/J03-1002), with sure links S and possible links
    P ⊇ S. All of them are ratios of counts, which add up over sentences: ``a + b`` is the score of
    both together. Without predicted links none is wrong and precision is 1; without sure links
    none is missing and recall is 1; without either the error rate is 0.
    """

    predicted: int = 0
    """Links in A."""
    sure: int = 0
    """Links in S."""
    predicted_sure: int = 0
    """Links in A and S."""
    predicted_allowed: int = 0
    """Links in A and P."""

    def __add__(self, other: "AlignmentScore") -> "AlignmentScore":
        """The score of two corpora together."""
        return AlignmentScore(
            predicted=self.predicted + other.predicted,
            sure=self.sure + other.sure,
            predicted_sure=self.predicted_sure + other.predicted_sure,
            predicted_allowed=self.predicted_allowed + other.predicted_allowed,
        )

    @property
    def precision(self) -> float:
        """Share of the predicted links that are possible."""
        return self.predicted_allowed / self.predicted if self.predicted else 1.0

    @property
    def recall(self) -> float:
        """Share of the sure links that are predicted."""
        return self.predicted_sure / self.sure if self.sure else 1.0

    @property
    def aer(self) -> float:
        """Alignment error rate, from 0 (best) to 1."""
        total = self.predicted + self.sure
        right = self.predicted_sure + self.predicted_allowed
        return 1 - right / total if total else 0.0

    def __str__(self) -> str:
        return (
            f"AER {100 * self.aer:.1f} % (precision {100 * self.precision:.1f} %, "
            f"recall {100 * self.recall:.1f} %, {self.predicted} links, {self.sure} sure)"
        )


def sentence_score(links: Links, gold: Gold) -> AlignmentScore:
    """The score of one sentence."""
    return AlignmentScore(
        predicted=len(links),
        sure=len(gold.sure),
        predicted_sure=len(links & gold.sure),
        predicted_allowed=len(links & gold.allowed),
    )


def alignment_score(predicted: Sequence[Links], gold: Sequence[Gold | None]) -> AlignmentScore:
    """The score of a corpus, out of counts over all sentences.

    Args:
        predicted: the links of every sentence.
        gold: of every sentence; those with ``None`` are left out.

    Raises:
        ShapeError: more predictions than gold, or fewer.
    """
    if len(predicted) != len(gold):
        raise ShapeError(
            f"every sentence needs predicted links and gold, got links of {len(predicted)} "
            f"sentences and gold of {len(gold)}"
        )
    rows = zip(predicted, gold, strict=True)
    return total(sentence_score(links, wanted) for links, wanted in rows if wanted is not None)


def total(scores: Iterable[AlignmentScore]) -> AlignmentScore:
    """The score of all sentences together."""
    return sum(scores, start=AlignmentScore())


_LINK = re.compile(r"([0-9]{1,6})([-?p])([0-9]{1,6})")

CountedFrom = Literal[0, 1]
"""The number of the first word."""


def read_gold(
    path: Path | str,
    *,
    counted_from: CountedFrom = 0,
    sizes: Sequence[tuple[int, int]] | None = None,
) -> list[Gold | None]:
    """Gold links of a file in Pharaoh format, one sentence per line, plain or gzip.

    ``i-j`` links source word i and target word j for sure; ``i?j`` and ``ipj`` make a possible
    link. A blank line has no gold and gives ``None``.

    Args:
        path: the file; ``"-"`` is the standard input.
        counted_from: 0 as in Pharaoh, or 1 as in the shared task of HLT-NAACL 2003.
        sizes: source and target words of every sentence; with them, links beyond the words and a
            wrong number of lines are refused.

    Raises:
        InputError: something that is no link; the message names file and line.
    """
    found = list(_parse_lines(path, counted_from, sizes))
    return [gold if gold.allowed else None for gold in found]


def read_links(
    path: Path | str,
    *,
    counted_from: CountedFrom = 0,
    sizes: Sequence[tuple[int, int]] | None = None,
) -> list[Links]:
    """Predicted links of a file as :func:`read_gold` reads it; a blank line has no link.

    Raises:
        InputError: something that is no link; the message names file and line.
    """
    return [gold.allowed for gold in _parse_lines(path, counted_from, sizes)]


def pharaoh(links: Links, *, possible: Links = frozenset()) -> str:
    """Links as one line: ``0-0 1?2``, source and target word, counted from 0 and in order."""
    marked = [(link, "-" if link in links else "?") for link in links | possible]
    return " ".join(f"{i}{mark}{j}" for (i, j), mark in sorted(marked))


def _parse_lines(
    path: Path | str, counted_from: CountedFrom, sizes: Sequence[tuple[int, int]] | None
) -> Iterator[Gold]:
    number = 0
    for number, line in enumerate(lines(path), start=1):
        gold = _parse(line, counted_from)
        if sizes is not None:
            if number > len(sizes):
                raise InputError(
                    f"{line.place}: needs a line for each of {len(sizes)} sentences, got more"
                )
            _check(gold, line, counted_from, sizes[number - 1])
        yield gold
    if sizes is not None and number < len(sizes):
        raise InputError(
            f"{name_of(path)}, line {number + 1}: needs a line for each of {len(sizes)} sentences "
            f"(blank without gold), but ends after line {number}"
        )


def _parse(line: Line, counted_from: CountedFrom) -> Gold:
    sure: set[tuple[int, int]] = set()
    possible: set[tuple[int, int]] = set()
    for word in line.text.split():
        link = _LINK.fullmatch(word)
        if link is None:
            raise InputError(
                f"{line.place}: needs links such as 0-0 1?2 (source-target, '-' sure, '?' or 'p' "
                f"possible), got {word[:40]!r}"
            )
        i, j = int(link[1]) - counted_from, int(link[3]) - counted_from
        if min(i, j) < 0:
            raise InputError(f"{line.place}: needs words counted from 1, got {word!r}")
        (sure if link[2] == "-" else possible).add((i, j))
    return Gold(frozenset(sure), frozenset(possible - sure))


def _check(gold: Gold, line: Line, counted_from: CountedFrom, size: tuple[int, int]) -> None:
    """Refuse links beyond the last word, as they come from counting from another number."""
    hint = "" if counted_from else "; if the file counts from 1, say so with counted_from=1"
    for link in sorted(gold.allowed):
        for side, position, count in zip(("source", "target"), link, size, strict=True):
            if position >= count:
                raise InputError(
                    f"{line.place}: a link needs one of {count} {side} words, got number "
                    f"{position + counted_from} counted from {counted_from}{hint}"
                )
