"""How good readers are on questions held out, beside each other."""

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from regard.data.reading import Question
from regard.measures import Comparison, Hits, Resampling, Score, compare_counts
from regard.measures.answers import answer_score

from ..evaluation import Columns, EvaluationConfig
from ..reporting import one_or_several
from .data import QuestionFiles, ToldStories
from .sample import Answered, StoryLook

if TYPE_CHECKING:
    from rich.console import RenderableType

SCALE = 10**6
"""F1 of an answer in whole numbers, for the bootstrap."""


class Group(NamedTuple):
    """Questions of one task or of one source."""

    name: str
    questions: int
    exact: float
    """In percent, as all that follow."""
    f1: float
    support: float | None
    """Share of the attention of all hops that is on the sentences that hold the answer."""
    supports: float
    """How many sentences hold the answer, on average."""


class System(NamedTuple):
    """What was found of one model."""

    name: str
    exact_hits: Hits
    f1_hits: Hits
    exact: Score
    f1: Score
    groups: tuple[Group, ...]
    support: float | None
    seconds: float

    @property
    def mean_error(self) -> float:
        """Of all groups alike, as bAbI's tasks are counted."""
        return 100 - float(np.mean([group.exact for group in self.groups]))

    @property
    def scores(self) -> dict[str, float]:
        """By measure, in percent."""
        found = {"exact": self.exact.value, "f1": self.f1.value}
        if len(self.groups) > 1:
            found["mean_error"] = self.mean_error
        return found if self.support is None else {**found, "support": self.support}


class Versus(NamedTuple):
    """A system beside the first one."""

    first: str
    second: str
    exact: Comparison
    f1: Comparison


class Report(NamedTuple):
    """All that was found."""

    questions: int
    systems: tuple[System, ...]
    versus: tuple[Versus, ...]

    def to_json(self) -> dict[str, Any]:
        """Of one system all about it, of several a list of them as ``models``."""
        versus = [
            {
                "first": one.first,
                "second": one.second,
                **{name: _difference(getattr(one, name)) for name in ("exact", "f1")},
            }
            for one in self.versus
        ]
        systems = [self._record(one) for one in self.systems]
        return one_or_several(systems, test={"questions": self.questions}, versus=versus)

    def __rich__(self) -> "RenderableType":
        """Tables, the most important first."""
        from .tables import tables

        return tables(self)

    def _record(self, one: System) -> dict[str, Any]:
        bounds = {"exact": one.exact.interval, "f1": one.f1.interval}
        return {
            "model": one.name,
            "task": "question-answering",
            "scores": one.scores,
            "intervals": {
                name: None if bound is None else bound._asdict() for name, bound in bounds.items()
            },
            "groups": [group._asdict() for group in one.groups],
            "speed": {
                "seconds": one.seconds,
                "questions_per_second": self.questions / one.seconds,
            },
        }


def _difference(found: Comparison) -> dict[str, Any]:
    return {
        "difference": found.difference,
        "interval": found.interval._asdict(),
        "p_value": found.p_value,
    }


class AnsweringEvaluation(EvaluationConfig):
    """Exact match, F1 and attention on supporting sentences with intervals, by task or source."""

    data: tuple[str, ...] = ()
    """Files of questions; our own stories if there are none."""
    columns: Columns = ()
    """Where passage, question and answer stand in them: names, or numbers from 1."""
    sentences: int = 1000
    """Of our own stories, how many."""

    def measured(self, predictors: Mapping[str, Any]) -> Report:
        """Everything about predictors, beside each other."""
        resampling = self.resampling
        questions: list[Question] = []
        if self.data:
            files = QuestionFiles(train=self.data, columns=self.columns)
            questions = [one for path in files.train for one in files.read(path)]
        else:
            questions = ToldStories(valid_size=self.sentences).held_out()
        systems = tuple(
            _system(name, one, questions, resampling) for name, one in predictors.items()
        )
        first, *others = systems
        versus = tuple(
            Versus(
                first.name,
                one.name,
                compare_counts(first.exact_hits, one.exact_hits, resampling),
                compare_counts(first.f1_hits, one.f1_hits, resampling),
            )
            for one in others
            if resampling is not None
        )
        return Report(len(questions), systems, versus)


def _system(
    name: str, predictor: Any, questions: Sequence[Question], resampling: Resampling | None
) -> System:
    list(predictor.predict(questions[:1]))  # what is slow the first time is not counted
    start = time.perf_counter()
    samples: list[Answered] = list(predictor.predict(questions))
    seconds = time.perf_counter() - start
    rows = [
        answer_score([sample.answer], [list(one.texts)])
        for sample, one in zip(samples, questions, strict=True)
    ]
    exact = _hits([row.exact for row in rows], "exact match")
    f1 = _hits([row.f1 for row in rows], "F1")
    masses = [_mass(sample, one) for sample, one in zip(samples, questions, strict=True)]
    groups = _groups(questions, exact, f1, masses)
    told = [mass for mass in masses if mass is not None]
    return System(
        name=name,
        exact_hits=exact,
        f1_hits=f1,
        exact=exact.score(resampling),
        f1=f1.score(resampling),
        groups=groups,
        support=100 * float(np.mean(told)) if told else None,
        seconds=seconds,
    )


def _hits(shares: Sequence[float], name: str) -> Hits:
    counts = [(round(SCALE * share), SCALE) for share in shares]
    return Hits(np.array(counts, dtype=np.int64).reshape(-1, 2), name)


def _mass(sample: Answered, one: Question) -> float | None:
    """Attention on the sentences that hold the answer; ``None`` where these are not known."""
    if not one.supports or not isinstance(sample.look, StoryLook):
        return None
    return sample.look.mass(one.supports)


def _groups(
    questions: Sequence[Question], exact: Hits, f1: Hits, masses: Sequence[float | None]
) -> tuple[Group, ...]:
    found: list[Group] = []
    for name in dict.fromkeys(one.group for one in questions):
        rows = [number for number, one in enumerate(questions) if one.group == name]
        told = [mass for number in rows if (mass := masses[number]) is not None]
        found.append(
            Group(
                name,
                len(rows),
                exact.value(exact.counts[rows].sum(axis=0)),
                f1.value(f1.counts[rows].sum(axis=0)),
                100 * float(np.mean(told)) if told else None,
                float(np.mean([len(questions[number].supports) for number in rows])),
            )
        )
    return tuple(found)


EVALUATION = AnsweringEvaluation
