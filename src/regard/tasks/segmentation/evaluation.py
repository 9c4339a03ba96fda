"""How good segmenters are on pictures held out, and whether their gates open at objects."""

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from regard.data.regions.augmentation import IGNORED
from regard.measures import PixelOverlap, Resampling, compare_counts, overlap_counts

from ..evaluation import EvaluationConfig
from ..regions.attended import Looked
from ..regions.held_out import HeldOut
from ..regions.measuring import held_out
from ..regions.report import Report, System, Versus
from .predictor import Segmenter

BATCH = 16


class SegmentationEvaluation(EvaluationConfig):
    """Mean IoU and Dice with intervals, both by label, the pointing game of every gate.

    A gate should open at whatever is not ``background``, or not the first label where none is
    called so.
    """

    data: tuple[str, ...] = ()
    """Tables of names or COCO's JSON, then perhaps where pictures and masks are; our own scenes if
    there are none."""
    sentences: int = 200
    """Of our own scenes, how many."""

    def measured(self, predictors: Mapping[str, Any]) -> Report:
        """Everything about predictors, beside each other."""
        resampling = self.resampling
        measured = {
            name: _measured(one, held_out(one, self.data, self.sentences, masked=True))
            for name, one in predictors.items()
        }
        systems = tuple(_system(name, one, resampling) for name, one in measured.items())
        first, *others = measured
        versus = []
        for other in others if resampling is not None else ():
            found = compare_counts(measured[first].overlap, measured[other].overlap, resampling)
            versus.append(Versus(first, other, "mean IoU", found.difference, found.interval))
        return Report("segmentation", systems, tuple(versus))


class Measured(NamedTuple):
    """What a model found."""

    labels: tuple[str, ...]
    overlap: PixelOverlap
    looked: Looked
    seconds: float


def _measured(predictor: Segmenter, pictures: HeldOut) -> Measured:
    looked, seconds, rows = Looked(), 0.0, []
    labels = predictor.codec.labels
    ground = labels.index("background") if "background" in labels else 0
    for batch in pictures.batches(BATCH):
        assert batch.masks is not None
        start = time.perf_counter()
        logits, maps = predictor.logits(batch.pixels, looks=True)
        seconds += time.perf_counter() - start
        for ours, gold in zip(logits.argmax(dim=1), batch.masks, strict=True):
            rows.append(overlap_counts(ours, gold, len(labels), ignored=IGNORED))
        targets = [(mask != ground) & (mask != IGNORED) for mask in batch.masks]
        looked.add(maps, targets)
    return Measured(labels, PixelOverlap(np.stack(rows)), looked, seconds)


def _system(name: str, one: Measured, resampling: Resampling | None) -> System:
    dice = one.overlap._replace(name="mean Dice", dice=True)
    total = one.overlap.counts.sum(axis=0)
    by_class = zip(
        one.labels,
        one.overlap.by_class(total).tolist(),
        dice.by_class(total).tolist(),
        strict=True,
    )
    return System(
        name=name,
        measures={
            "mean IoU": one.overlap.score(resampling),
            "mean Dice": dice.score(resampling),
        },
        classes={label: {"IoU": iou, "Dice": score} for label, iou, score in by_class},
        attended=one.looked.scores(resampling),
        pictures=len(one.overlap.counts),
        seconds=one.seconds,
    )


EVALUATION = SegmentationEvaluation
