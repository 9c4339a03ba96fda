"""F1 of spans: names, phrases and the like, marked by BIO tags."""

from collections.abc import Sequence
from typing import NamedTuple

from regard.errors import InputError, ShapeError

from .confusion import check_lengths
from .f1 import F1, F1ByClass


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
