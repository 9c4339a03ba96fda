"""Average precision of detected boxes, as COCO measures it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from regard.errors import ShapeError

from .confusion import check_lengths
from .detections import Detections as Detections
from .detections import Objects as Objects
from .ranked_hits import ranked

THRESHOLDS = tuple(round(0.5 + 0.05 * step, 2) for step in range(10))


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
    once = np.ones(len(objects), dtype=np.int64)
    table = {
        (label, threshold): one.precision(once)
        for label in labels
        for threshold, one in zip(
            thresholds, ranked(label, thresholds, detections, objects), strict=True
        )
    }
    return AveragePrecision(table)


def _mean(values: Sequence[float]) -> float:
    """NaN of nothing."""
    return float(np.mean(values)) if values else float("nan")
