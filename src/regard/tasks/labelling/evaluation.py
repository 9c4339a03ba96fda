"""How good taggers and classifiers are, beside each other."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from regard.errors import ChoiceError
from regard.measures import (
    Confusion,
    F1ByClass,
    Hits,
    Resampling,
    Score,
    confusion,
    f1,
)

from ..reporting import Bucket, Versus, beside_first, by_length, one_or_several

if TYPE_CHECKING:
    from rich.console import RenderableType


@runtime_checkable
class Judged(Protocol):
    """A text or a picture, and what it is."""

    @property
    def content(self) -> Any:
        """What a predictor takes."""

    @property
    def labels(self) -> tuple[str, ...]:
        """What is right."""

    @property
    def place(self) -> Any:
        """Where it was read, for messages."""


class System(NamedTuple):
    """What was found of one model."""

    name: str
    hits: Hits
    accuracy: Score
    labels: F1ByClass
    confusion: Confusion
    lengths: tuple[Bucket, ...]
    exact: float
    """Share of texts whose labels are all right, in percent."""
    tokens: int
    seconds: float

    @property
    def scores(self) -> dict[str, float]:
        """By measure, in percent."""
        return {
            "accuracy": self.accuracy.value,
            "macro_f1": 100 * self.labels.macro,
            "exact": self.exact,
        }


class Report(NamedTuple):
    """All that was found."""

    task: str
    texts: int
    targets: int
    notes: tuple[str, ...]
    """What is strange about the data, by file and line."""
    systems: tuple[System, ...]
    versus: tuple[Versus, ...]
    things: str = "texts"
    """What is labelled."""
    steps: str = "tokens"
    """What a model reads of them."""

    def to_json(self) -> dict[str, Any]:
        """Of one system all about it, of several a list of them as ``models``."""
        return one_or_several(
            [self._record(one) for one in self.systems],
            test={self.things: self.texts, "labels": self.targets, "notes": list(self.notes)},
            versus=[one.to_json() for one in self.versus],
        )

    def __rich__(self) -> "RenderableType":
        """Tables, the most important first."""
        from .tables import tables

        return tables(self)

    def _record(self, one: System) -> dict[str, Any]:
        interval = one.accuracy.interval
        return {
            "model": one.name,
            "task": self.task,
            "scores": one.scores,
            "intervals": {"accuracy": None if interval is None else interval._asdict()},
            "per_label": [
                {
                    "label": label,
                    "precision": 100 * score.precision,
                    "recall": 100 * score.recall,
                    "f1": 100 * score.f1,
                    "gold": score.gold,
                    "predicted": score.predicted,
                }
                for label, score in one.labels.classes.items()
            ],
            "confusion": {
                "labels": list(one.confusion.labels),
                "counts": [list(row) for row in one.confusion.counts],
            },
            "by_length": [bucket._asdict() for bucket in one.lengths],
            "speed": {
                self.steps: one.tokens,
                "seconds": one.seconds,
                f"{self.steps}_per_second": one.tokens / one.seconds,
            },
        }


def evaluate(
    kind: str,
    predictors: Mapping[str, Any],
    examples: Sequence[Judged],
    *,
    resampling: Resampling | None = None,
    things: str = "texts",
    steps: str = "tokens",
) -> Report:
    """Everything about some models on the same texts.

    A label that a model has not learned counts as wrong, and a note names the first of it.

    Args:
        kind: of the task.
        predictors: by name.
        examples: texts with their labels.
        resampling: how to find intervals; none are without it.
        things: what is labelled.
        steps: what a model reads of them.

    Raises:
        ChoiceError: no model.
    """
    if not predictors:
        raise ChoiceError("evaluate needs a model to measure: the folder of a run, or a name")
    systems = tuple(_system(name, one, examples, resampling) for name, one in predictors.items())
    versus = beside_first(systems, "accuracy", resampling)
    targets = sum(len(one.labels) for one in examples)
    notes = tuple(
        note for name, one in predictors.items() for note in _unknown(name, one, examples)
    )
    return Report(kind, len(examples), targets, notes, systems, versus, things, steps)


def _system(
    name: str, predictor: Any, examples: Sequence[Judged], resampling: Resampling | None
) -> System:
    contents = [one.content for one in examples]
    list(predictor.predict(contents[:1]))  # what is slow the first time is not counted
    start = time.perf_counter()
    samples = list(predictor.predict(contents))
    seconds = time.perf_counter() - start
    gold = [one.labels for one in examples]
    # Words beyond what a model reads have no tag: they are wrong.
    found = [
        (*sample.labels, *[""] * (len(wanted) - len(sample.labels)))
        for sample, wanted in zip(samples, gold, strict=True)
    ]
    hits = Hits.of(found, gold)
    flat = [label for one in found for label in one], [label for one in gold for label in one]
    read = [len(sample.words) if hasattr(sample, "words") else 1 for sample in samples]
    lengths = [n + getattr(one, "cut", 0) for n, one in zip(read, samples, strict=True)]
    right = sum(one == other for one, other in zip(found, gold, strict=True))
    return System(
        name=name,
        hits=hits,
        accuracy=hits.score(resampling),
        labels=f1(*flat),
        confusion=confusion(*flat),
        lengths=(
            by_length(lengths, lambda rows: hits.value(hits.counts[rows].sum(axis=0)))
            if max(lengths) > 1
            else ()
        ),
        exact=100 * right / len(gold),
        tokens=sum(read),
        seconds=seconds,
    )


def _unknown(name: str, predictor: Any, examples: Sequence[Judged]) -> list[str]:
    """Labels that were not learned, each with its first place."""
    known = set(predictor.codec.labels)
    times = Counter(label for one in examples for label in one.labels if label not in known)
    first = {label: next(one for one in examples if label in one.labels) for label in times}
    return [
        f"{first[label].place or 'the test'}: {name} has not learned the label {label!r}, "
        f"{count} of which count as wrong"
        for label, count in times.items()
    ]
