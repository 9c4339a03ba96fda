"""Average precision of any selection of pictures, for intervals and comparisons."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .confusion import check_lengths
from .detections import Detections, Objects
from .iou import box_iou
from .match_counts import Counts, Resampling, draw_samples, interval, percentiles
from .score import Interval, Score

RECALLS = np.linspace(0, 1, 101)
MOST = 100
"""Boxes of one class in one picture that count, those with the highest scores."""


class Ranked(NamedTuple):
    """The boxes of one class at one threshold, the surest first over all pictures."""

    pictures: NDArray[np.int64]
    """Of which picture each is."""
    hits: NDArray[np.bool_]
    """Whether it took an object."""
    objects: NDArray[np.int64]
    """How many objects each picture has."""

    def precision(self, times: Counts) -> float:
        """Average precision where picture n comes ``times[n]`` times; NaN without objects."""
        total = int((times * self.objects).sum())
        if not total:
            return float("nan")
        weights = times[self.pictures]
        found, told = np.cumsum(weights * self.hits), np.cumsum(weights)
        precision = found / np.maximum(told, 1)
        best = np.maximum.accumulate(precision[::-1])[::-1]
        places = np.searchsorted(found / total, RECALLS, side="left")
        return float(np.append(best, 0.0)[places].mean())


class RankedHits(NamedTuple):
    """Which boxes took objects, so that precision is found again of any selection of pictures.

    Pictures are drawn with all that is in them, as :func:`regard.measures.match_counts.interval`
    draws sentences: :attr:`counts` says of each row that it is one picture.
    """

    table: tuple[Ranked, ...]
    """Of every class and threshold."""
    size: int
    """How many pictures there are."""
    name: str = "mAP at 0.5"

    @property
    def counts(self) -> Counts:
        """One row per picture, with a 1 in its place."""
        return np.eye(self.size, dtype=np.int64)

    def value(self, total: Counts) -> float:
        """The mean over classes and thresholds from 0 to 100, where pictures come so often."""
        found = [one.precision(total) for one in self.table]
        known = [value for value in found if not np.isnan(value)]
        return 100 * float(np.mean(known)) if known else 0.0

    def score(self, resampling: Resampling | None = None) -> Score:
        """Of all pictures once, with its interval if that is asked for."""
        found = None if resampling is None else interval(self, resampling)
        once = np.ones(self.size, dtype=np.int64)
        return Score(self.value(once), self.name, "101 recalls, 100 boxes a class", found)


def ranked_hits(
    detections: Sequence[Detections],
    objects: Sequence[Objects],
    *,
    thresholds: Sequence[float] = (0.5,),
    name: str = "mAP at 0.5",
) -> RankedHits:
    """Matches every picture once, see :func:`regard.measures.average_precision`.

    Args:
        detections: of every picture.
        objects: of every picture.
        thresholds: the IoU from which on an object counts as found.
        name: of the score.

    Raises:
        ShapeError: detections and objects of different numbers of pictures.
        InputError: no picture.
    """
    check_lengths(detections, objects)
    labels = sorted({label for there in objects for label in there.labels.tolist()})
    table = [one for label in labels for one in ranked(label, thresholds, detections, objects)]
    return RankedHits(tuple(table), len(objects), name)


def ranked(
    label: int,
    thresholds: Sequence[float],
    detections: Sequence[Detections],
    objects: Sequence[Objects],
) -> list[Ranked]:
    """The boxes of one class over all pictures, each matched in the order of their scores.

    Args:
        label: of the class.
        thresholds: the IoU from which on an object counts as found; a result for each.
        detections: of every picture.
        objects: of every picture.
    """
    scores: list[float] = []
    hits: list[NDArray[np.bool_]] = []
    pictures: list[int] = []
    counts = []
    for number, (found, there) in enumerate(zip(detections, objects, strict=True)):
        chosen = (found.labels == label).nonzero()[:, 0]
        order = found.scores[chosen].argsort(descending=True, stable=True)[:MOST]
        wanted = there.boxes[there.labels == label]
        counts.append(len(wanted))
        if len(order):
            scores += found.scores[chosen[order]].tolist()
            iou = box_iou(found.boxes[chosen[order]].double(), wanted.double()).numpy()
            hits.append(match(iou, thresholds))
            pictures += [number] * len(order)
    surest = np.argsort(-np.array(scores), kind="stable")
    every = np.concatenate(hits, axis=1) if hits else np.zeros((len(thresholds), 0), dtype=bool)
    placed, there_are = np.array(pictures, dtype=np.int64)[surest], np.array(counts, dtype=np.int64)
    return [Ranked(placed, row[surest], there_are) for row in every]


def match(iou: NDArray[np.float64], thresholds: Sequence[float]) -> NDArray[np.bool_]:
    """Whether each box, the surest first, takes an object; the last of equal ones as in COCO.

    Args:
        iou: (boxes, objects).
        thresholds: from which on an object can be taken.

    Returns:
        (thresholds, boxes).
    """
    boxes, objects = iou.shape
    hits = np.zeros((len(thresholds), boxes), dtype=bool)
    if not objects:
        return hits
    left, least = np.ones((len(thresholds), objects), dtype=bool), np.array(thresholds)[:, None]
    backwards = iou[:, ::-1]
    for number, row in enumerate(backwards):
        free = np.where(left & (row >= least), row, -1.0)  # (thresholds, objects)
        best = free.argmax(axis=1)
        hits[:, number] = taken = free[np.arange(len(free)), best] >= 0
        left[taken.nonzero()[0], best[taken]] = False
    return hits


def difference(first: RankedHits, second: RankedHits, resampling: Resampling) -> Interval:
    """The interval of what the second is ahead, by the paired bootstrap, Koehn 2004."""
    gaps = [
        second.value(times) - first.value(times) for times in draw_samples(first.size, resampling)
    ]
    return percentiles(gaps, resampling)
