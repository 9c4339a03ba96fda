"""Of boxes around the same object, the surest is kept."""

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


def detections(found: Candidates, *, confidence: float, overlap: float) -> list[Detections]:
    """What a detector says of each picture, the surest first.

    Args:
        found: the candidates of a batch.
        confidence: scores below it are left out.
        overlap: IoU above which two boxes of a class are of the same object.
    """
    told = []
    for boxes, scores, labels in zip(*found, strict=True):
        sure = scores >= confidence
        boxes, scores, labels = boxes[sure], scores[sure], labels[sure]
        kept = suppressed(boxes, scores, labels, overlap)
        told.append(Detections(boxes[kept], scores[kept], labels[kept]))
    return told
