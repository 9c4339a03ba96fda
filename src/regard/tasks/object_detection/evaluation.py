"""How good detectors are on pictures held out, and whether they look at objects."""

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from regard.measures import Detections, Objects, RankedHits, Resampling, ranked_hits
from regard.measures.average_precision import THRESHOLDS, average_precision
from regard.measures.looking import inside
from regard.measures.ranked_hits import difference

from ..evaluation import EvaluationConfig
from ..regions.attended import Looked
from ..regions.held_out import HeldOut
from ..regions.measuring import held_out
from ..regions.report import Report, System, Versus
from .predictor import ObjectDetector
from .validation import LEAST, objects_of

BATCH = 8


class DetectionEvaluation(EvaluationConfig):
    """mAP at 0.5 and COCO's mAP with intervals, AP by label, the pointing game of every gate.

    Pictures are looked for beside the first file; a folder or a zip may stand behind it to say
    where they are.
    """

    data: tuple[str, ...] = ()
    """Tables of boxes or COCO's JSON; our own scenes if there are none."""
    sentences: int = 200
    """Of our own scenes, how many."""

    def measured(self, predictors: Mapping[str, Any]) -> Report:
        """Everything about predictors, beside each other."""
        resampling = self.resampling
        measured = {
            name: _measured(one, held_out(one, self.data, self.sentences, masked=False))
            for name, one in predictors.items()
        }
        systems = tuple(_system(name, one, resampling) for name, one in measured.items())
        first, *others = measured
        versus = tuple(
            _versus(first, other, measured, resampling)
            for other in others
            if resampling is not None
        )
        return Report("object-detection", systems, versus)


class Measured(NamedTuple):
    """What a model found, and what is there."""

    labels: tuple[str, ...]
    found: list[Detections]
    there: list[Objects]
    looked: Looked
    seconds: float

    def ranked(self) -> RankedHits:
        """Matches at an IoU of a half."""
        return ranked_hits(self.found, self.there)


def _measured(predictor: ObjectDetector, pictures: HeldOut) -> Measured:
    looked, seconds = Looked(), 0.0
    found: list[Detections] = []
    there: list[Objects] = []
    for batch in pictures.batches(BATCH):
        start = time.perf_counter()
        found += predictor.detect(batch.pixels, confidence=LEAST)[0]
        seconds += time.perf_counter() - start
        objects = objects_of(batch)
        there += objects
        height, width = batch.pixels.shape[2:]
        targets = [inside(one.boxes, height, width) for one in objects]
        looked.add(predictor.detect(batch.pixels, confidence=1.0, looks=True)[1], targets)
    return Measured(predictor.codec.labels, found, there, looked, seconds)


def _system(name: str, one: Measured, resampling: Resampling | None) -> System:
    coco = ranked_hits(one.found, one.there, thresholds=THRESHOLDS, name="mAP")
    scores = average_precision(one.found, one.there)
    labels = sorted({label for label, _ in scores.table})
    return System(
        name=name,
        measures={
            "mAP at 0.5": one.ranked().score(resampling),
            "mAP": coco.score(_fewer(resampling)),
        },
        classes={
            one.labels[label] if label < len(one.labels) else "not learned": {
                "AP at 0.5": 100 * scores.table[label, 0.5],
                "AP": 100 * scores.of(label),
                "objects": float(sum(int((o.labels == label).sum()) for o in one.there)),
            }
            for label in labels
        },
        attended=one.looked.scores(resampling),
        pictures=len(one.found),
        seconds=one.seconds,
    )


def _fewer(resampling: Resampling | None) -> Resampling | None:
    """Ten thresholds take ten times as long: a tenth of the samples, a hundred at least."""
    if resampling is None:
        return None
    fewer = min(resampling.samples, max(100, resampling.samples // 10))
    return resampling.model_copy(update={"samples": fewer})


def _versus(
    first: str, second: str, measured: Mapping[str, Measured], resampling: Resampling
) -> Versus:
    one, other = measured[first].ranked(), measured[second].ranked()
    gap = other.score().value - one.score().value
    return Versus(first, second, one.name, gap, difference(one, other, resampling))


EVALUATION = DetectionEvaluation
