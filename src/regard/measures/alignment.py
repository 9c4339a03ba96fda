"""Alignment error rate: how well links between words agree with gold links."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from regard.data.pairs import Links
from regard.errors import ShapeError


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
