"""Precision, recall and F1: of one class, of each, over all; and of spans marked by BIO tags."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from regard.errors import InputError, ShapeError

from .confusion import check_lengths, confusion


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


class Span(NamedTuple):
    """Words that belong together."""

    start: int
    stop: int
    """The word after the last one."""
    label: str


def bio_spans(tags: Sequence[str]) -> frozenset[Span]:
    """The spans of one sentence.

    ``B-X`` starts a span of X, ``I-X`` goes on with it, ``O`` lies outside. ``I-X`` that follows
    no X starts one too, as in the shared task of CoNLL 2003
    (https://aclanthology.org/W03-0419).

    Raises:
        InputError: another tag.
    """
    spans: list[Span] = []
    for place, tag in enumerate(tags):
        mark, _, label = tag.partition("-")
        if mark == "O" and not label:
            continue
        if mark not in ("B", "I") or not label:
            raise InputError(f"tags of spans are B-…, I-… and O, got {tag!r} at word {place}")
        if mark == "I" and spans and spans[-1].stop == place and spans[-1].label == label:
            spans[-1] = spans[-1]._replace(stop=place + 1)
        else:
            spans.append(Span(place, place + 1, label))
    return frozenset(spans)


def span_f1(predicted: Sequence[Sequence[str]], gold: Sequence[Sequence[str]]) -> F1ByClass:
    """F1 of spans by label: a hit has the same first word, last word and label.

    Args:
        predicted: BIO tags of every sentence.
        gold: those that are right.

    Raises:
        ShapeError: sentences, or tags of a sentence, of different number.
        InputError: no sentence, or a tag that is none.
    """
    check_lengths(predicted, gold)
    classes: dict[str, F1] = {}
    for number, (found, wanted) in enumerate(zip(predicted, gold, strict=True), start=1):
        if len(found) != len(wanted):
            raise ShapeError(
                f"sentence {number} needs a tag for each of {len(wanted)} words, got {len(found)}"
            )
        spans, right = bio_spans(found), bio_spans(wanted)
        for label in {span.label for span in spans | right}:
            ours, theirs = ({s for s in side if s.label == label} for side in (spans, right))
            score = F1(hits=len(ours & theirs), predicted=len(ours), gold=len(theirs))
            classes[label] = classes.get(label, F1()) + score
    return F1ByClass(dict(sorted(classes.items())))
