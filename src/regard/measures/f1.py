"""Precision, recall and F1: of one class, of each, over all."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .confusion import confusion


@dataclass(frozen=True, kw_only=True)
class F1:
    r"""Precision, recall and their harmonic mean.

    .. math::

        P = \frac{\text{hits}}{\text{predicted}} \qquad
        R = \frac{\text{hits}}{\text{gold}} \qquad
        F_1 = \frac{2 P R}{P + R} = \frac{2\, \text{hits}}{\text{predicted} + \text{gold}}

    All of them are ratios of counts, which add up: ``a + b`` is the score of both together. A
    ratio without anything below the bar is 0.
    """

    hits: int = 0
    """Predicted and right."""
    predicted: int = 0
    gold: int = 0
    """What there was to find."""

    def __add__(self, other: "F1") -> "F1":
        """The score of two sets of examples together."""
        return F1(
            hits=self.hits + other.hits,
            predicted=self.predicted + other.predicted,
            gold=self.gold + other.gold,
        )

    @property
    def precision(self) -> float:
        """Share of what was predicted that is right."""
        return self.hits / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """Share of what there was to find that was predicted."""
        return self.hits / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        total = self.predicted + self.gold
        return 2 * self.hits / total if total else 0.0


class F1ByClass(NamedTuple):
    """The score of every class."""

    classes: dict[Hashable, F1]

    @property
    def micro(self) -> F1:
        """Of all examples together: frequent classes count more."""
        return sum(self.classes.values(), start=F1())

    @property
    def macro(self) -> float:
        r"""The mean over classes, :math:`\frac{1}{C} \sum_c F_1^{(c)}`: all count alike."""
        return sum(score.f1 for score in self.classes.values()) / max(len(self.classes), 1)


def f1(predicted: Sequence[Hashable], gold: Sequence[Hashable]) -> F1ByClass:
    """F1 of every class that is predicted or wanted.

    With one class for each example, the micro average is the accuracy.

    Args:
        predicted: a class for each example.
        gold: the class that is right.

    Raises:
        ShapeError: more predictions than gold, or fewer.
        InputError: no example.
    """
    labels, counts = confusion(predicted, gold)
    columns = list(zip(*counts, strict=True))
    return F1ByClass(
        {
            label: F1(hits=counts[n][n], predicted=sum(columns[n]), gold=sum(counts[n]))
            for n, label in enumerate(labels)
        }
    )
