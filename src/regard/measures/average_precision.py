"""Average precision of detected boxes, as COCO measures it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from regard.errors import ShapeError
from regard.types import Float, Int, Tensor

from .confusion import check_lengths
from .iou import box_iou

THRESHOLDS = tuple(round(0.5 + 0.05 * step, 2) for step in range(10))
RECALLS = np.linspace(0, 1, 101)
MOST = 100
"""Boxes of one class in one picture that count, those with the highest scores."""


class Detections(NamedTuple):
    """What a model found in one picture."""

    boxes: Float[Tensor, "boxes 4"]
    """Left, top, right and bottom edge of each."""
    scores: Float[Tensor, " boxes"]
    labels: Int[Tensor, " boxes"]


class Objects(NamedTuple):
    """What is there in one picture."""

    boxes: Float[Tensor, "objects 4"]
    labels: Int[Tensor, " objects"]


class AveragePrecision(NamedTuple):
    """Average precision by class and threshold, each from 0 to 1."""

    table: dict[tuple[int, float], float]
    """From class and threshold of IoU; only classes of which there are objects."""

    @property
    def mean(self) -> float:
        """Over all classes and thresholds: the AP of COCO."""
        return _mean(list(self.table.values()))

    def at(self, threshold: float) -> float:
        """The mean over classes at one threshold: 0.5 gives AP50."""
        return _mean([value for (_, own), value in self.table.items() if own == threshold])

    def of(self, label: int) -> float:
        """The mean over thresholds of one class."""
        return _mean([value for (own, _), value in self.table.items() if own == label])


def average_precision(
    detections: Sequence[Detections],
    objects: Sequence[Objects],
    *,
    thresholds: Sequence[float] = THRESHOLDS,
) -> AveragePrecision:
    r"""The mean precision over 101 levels of recall, for every class and threshold.

    .. math:: \text{AP} = \frac{1}{101} \sum_{r \in \{0, 0.01, \dots, 1\}}
        \max_{\tilde{r} \geq r} P(\tilde{r})

    In the order of their scores, boxes take the object with which they have the highest IoU among
    those of their class that are left, if it reaches the threshold; the others are mistakes.
    Precision P after each box is the share of hits so far, recall the share of objects that are
    found. A recall that is never reached has precision 0. Lin et al. 2014
    (https://arxiv.org/abs/1405.0312); crowds and sizes of objects are not told apart.

    Args:
        detections: of every picture.
        objects: of every picture.
        thresholds: the IoU from which on an object counts as found; 0.5, 0.55, …, 0.95 in COCO.

    Raises:
        ShapeError: detections and objects of different numbers of pictures, or boxes without label
            or score.
        InputError: no picture.
    """
    check_lengths(detections, objects)
    for found, there in zip(detections, objects, strict=True):
        sizes = {len(part) for part in found}, {len(part) for part in there}
        if any(len(side) > 1 for side in sizes):
            raise ShapeError("every box needs a label, and every detected one a score")
    labels = sorted({label for there in objects for label in there.labels.tolist()})
    return AveragePrecision(
        {
            (label, threshold): _of_class(label, threshold, detections, objects)
            for label in labels
            for threshold in thresholds
        }
    )


def _of_class(
    label: int, threshold: float, detections: Sequence[Detections], objects: Sequence[Objects]
) -> float:
    scores: list[float] = []
    hits: list[bool] = []
    total = 0
    for found, there in zip(detections, objects, strict=True):
        chosen = (found.labels == label).nonzero()[:, 0]
        ranked = found.scores[chosen].argsort(descending=True, stable=True)[:MOST]
        wanted = there.boxes[there.labels == label]
        scores += found.scores[chosen[ranked]].tolist()
        hits += _match(box_iou(found.boxes[chosen[ranked]].double(), wanted.double()), threshold)
        total += len(wanted)
    order = np.argsort(-np.array(scores), kind="stable")
    return _interpolate(np.array(hits, dtype=bool)[order], total)


def _match(iou: Float[Tensor, "boxes objects"], threshold: float) -> list[bool]:
    """Whether each box, the surest first, takes an object; the last of equal ones as in COCO."""
    left = torch.ones(iou.shape[1], dtype=torch.bool)
    hits = []
    for row in iou:
        free = (left & (row >= threshold)).nonzero()[:, 0]
        hits.append(bool(len(free)))
        if hits[-1]:
            left[max(free.tolist(), key=lambda one: (float(row[one]), one))] = False
    return hits


def _interpolate(hits: NDArray[np.bool_], total: int) -> float:
    """The mean over :data:`RECALLS` of the highest precision at this recall or beyond."""
    found = np.cumsum(hits)
    precision = found / np.arange(1, len(hits) + 1)
    best = np.maximum.accumulate(precision[::-1])[::-1]
    places = np.searchsorted(found / total, RECALLS, side="left")
    return float(np.append(best, 0.0)[places].mean())


def _mean(values: Sequence[float]) -> float:
    """NaN of nothing."""
    return float(np.mean(values)) if values else float("nan")
