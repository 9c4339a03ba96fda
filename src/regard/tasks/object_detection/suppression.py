"""Of boxes around the same object, the surest is kept."""

from collections.abc import Sequence

import numpy as np
import torch

from regard.measures import Detections, box_iou
from regard.models.vision import Candidates
from regard.types import Bool, Float, Int, Tensor


def suppressed(
    boxes: Float[Tensor, "n 4"],
    scores: Float[Tensor, " n"],
    labels: Int[Tensor, " n"],
    overlap: float,
) -> Bool[Tensor, " n"]:
    """Which boxes are kept: each that no surer one of its class that is kept lies over.

    Args:
        boxes: edges.
        scores: how sure each is.
        labels: their classes.
        overlap: IoU above which two are of the same object.
    """
    same = labels.unsqueeze(0) == labels.unsqueeze(1)
    rivals = ((box_iou(boxes, boxes) > overlap) & same).cpu().numpy()  # (n, n)
    gone = np.zeros(len(boxes), dtype=bool)
    for row in scores.argsort(descending=True, stable=True).tolist():
        if not gone[row]:
            gone |= rivals[row]
            gone[row] = False
    return torch.from_numpy(~gone).to(boxes.device)


def kept(found: Candidates, *, confidence: float, overlap: float) -> list[Int[Tensor, " n"]]:
    """The rows of the candidates that count, of each picture, the surest first.

    Args:
        found: the candidates of a batch.
        confidence: scores below it are left out.
        overlap: IoU above which two boxes of a class are of the same object.
    """
    told = []
    for boxes, scores, labels in zip(found.boxes, found.scores, found.labels, strict=True):
        sure = (scores >= confidence).nonzero()[:, 0]
        told.append(sure[suppressed(boxes[sure], scores[sure], labels[sure], overlap)])
    return told


def detections(found: Candidates, rows: Sequence[Int[Tensor, " n"]]) -> list[Detections]:
    """What a detector says of each picture.

    Args:
        found: the candidates of a batch.
        rows: those that count.
    """
    parts = zip(found.boxes, found.scores, found.labels, rows, strict=True)
    return [
        Detections(boxes[row], scores[row], labels[row]) for boxes, scores, labels, row in parts
    ]
