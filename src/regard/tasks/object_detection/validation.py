"""How good a detector is by now, on pictures it has not learned from."""

from typing import Any

from torch import nn

from regard.measures import Detections, Objects, average_precision
from regard.training.task import Comparison, Validation

from ..regions.batch import Batch
from ..regions.held_out import HeldOut
from ..regions.validation import RegionValidator
from .predictor import ObjectDetector

LEAST = 0.01
"""Scores below it are not even counted as mistakes."""


class DetectionValidator(RegionValidator):
    """Measures a detector on pictures held out."""

    def validate(self, model: nn.Module) -> Validation:
        """Both means of average precision."""
        predictor = ObjectDetector(model, self.codec)
        found, there = found_and_there(predictor, self.held_out, size=self.batch)
        score = average_precision(found, there)
        return self.told({"map50": score.at(0.5), "map": score.mean}, predictor)


def found_and_there(
    predictor: ObjectDetector, held_out: HeldOut, *, size: int
) -> tuple[list[Detections], list[Objects]]:
    """What a detector finds in every picture held out, and what is there; in pixels of frames."""
    found: list[Detections] = []
    there: list[Objects] = []
    for batch in held_out.batches(size):
        found += predictor.detect(batch.pixels, confidence=LEAST)[0]
        there += objects_of(batch)
    return found, there


def objects_of(batch: Batch) -> list[Objects]:
    """What is there in each picture of a batch."""
    told = []
    for boxes, labels in zip(batch.boxes, batch.labels, strict=True):
        kept = labels >= 0
        told.append(Objects(boxes[kept], labels[kept]))
    return told


def compared(before: Any, after: Any, held_out: HeldOut) -> Comparison:
    """Two detectors on the same pictures."""
    sides = [found_and_there(one, held_out, size=8) for one in (before, after)]
    pairs = list(zip(sides[0][0], sides[1][0], strict=True))
    changed = sum(one.labels.tolist() != other.labels.tolist() for one, other in pairs)
    scores = [100 * average_precision(*side, thresholds=(0.5,)).mean for side in sides]
    return Comparison(len(pairs), changed, "mAP at 0.5", *scores)
