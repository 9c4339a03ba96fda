"""How good answerers are on pictures held out, beside each other."""

import time
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from regard.data.scenes import Scenes
from regard.measures import Hits
from regard.measures.match_counts import Counted

from ..captioning.evaluation import require_pictures
from ..evaluation import EvaluationConfig
from ..seeing.report import PictureReport, System, Table, beside
from .data import QuestionFiles, SceneQuestions, pictured
from .example import Pictured
from .inference import answers
from .predictor import PictureAnswerer
from .validation import AnswerValidator, Scored, reading_for, scored


class PictureAnsweringEvaluation(EvaluationConfig):
    """Accuracy and pointing with intervals, accuracy by what is asked for or how questions begin.

    Pictures are drawn again for intervals, each with all its questions.
    """

    data: tuple[str, ...] = ()
    """Files of questions; our own scenes if there are none."""
    pictures: str | None = None
    """Folder or zip of the pictures that --data names."""
    detector: str | None = None
    """The folder of a model that finds objects, for models that look at boxes."""
    sentences: int = 300
    """Of our own scenes, how many."""

    def measured(self, predictors: Mapping[str, Any]) -> PictureReport:
        """Everything about predictors, beside each other."""
        held_out = examples(self.data, self.pictures, self.sentences, self.detector)
        systems = tuple(_system(name, one, held_out) for name, one in predictors.items())
        questions = sum(len(one.questions) for one in held_out)
        versus = beside(systems, self.resampling)
        kind = "visual-question-answering"
        return PictureReport(kind, len(held_out), questions, systems, versus, self.resampling)


def examples(
    data: Sequence[str], pictures: str | None, scenes: int, detector: str | None
) -> list[Pictured]:
    """What is measured on: the pictures of files, or scenes of the split ``test``."""
    if not data:
        return [
            pictured(one) for one in islice(Scenes(SceneQuestions().seed, split="test"), scenes)
        ]
    source = QuestionFiles(
        train=tuple(data), pictures=require_pictures(pictures), detector=detector
    )
    return source.read(source.train)


def _system(name: str, predictor: PictureAnswerer, held_out: list[Pictured]) -> System:
    reading = reading_for(predictor.model)
    start = time.perf_counter()
    validator = AnswerValidator(held_out, predictor.codec, reading)
    found = answers(predictor.model, validator.corpus)
    seconds = time.perf_counter() - start
    rows = [
        scored(asked, answer, predictor.model, predictor.codec)
        for asked, answer in zip(validator.asked, found, strict=True)
    ]
    counted: dict[str, Counted] = {"accuracy": _hits(held_out, [one.right for one in rows])}
    if any(one.pointed is not None for one in rows):
        counted["pointing"] = _hits(held_out, [one.pointed for one in rows])
    return System(name, counted, seconds, {"by_kind": _by_kind(validator, rows)})


def _hits(held_out: list[Pictured], right: Sequence[bool | None]) -> Hits:
    """Hits and questions of every picture; those of which nothing is known do not count."""
    counts, stream = [], iter(right)
    for one in held_out:
        told = [value for value in islice(stream, len(one.questions)) if value is not None]
        counts.append([sum(told), len(told)])
    return Hits(np.array(counts, dtype=np.int64))


def _by_kind(validator: AnswerValidator, rows: Sequence[Scored]) -> Table:
    """Accuracy by what is asked for; by the first two words of questions where nobody says."""
    groups: dict[str, list[bool]] = {}
    for asked, one in zip(validator.asked, rows, strict=True):
        kind = asked.kind or " ".join(asked.question.lower().split()[:2])
        groups.setdefault(kind, []).append(one.right)
    ranked = sorted(groups.items(), key=lambda item: -len(item[1]))[:12]
    told = tuple((kind, 100 * sum(right) / len(right), len(right)) for kind, right in ranked)
    return Table("Accuracy by kind", ("kind", "accuracy", "questions"), told)


EVALUATION = PictureAnsweringEvaluation
