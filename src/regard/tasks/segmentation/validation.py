"""How good a segmenter is by now, on pictures it has not learned from."""

from typing import Any

import numpy as np
from torch import nn

from regard.data.regions.augmentation import IGNORED
from regard.measures.match_counts import Counts
from regard.measures.pixel_overlap import PixelOverlap, overlap_counts
from regard.training.task import Comparison, Validation

from ..regions.held_out import HeldOut
from ..regions.validation import RegionValidator
from .predictor import Segmenter


class SegmentationValidator(RegionValidator):
    """Measures a segmenter on pictures held out."""

    def validate(self, model: nn.Module) -> Validation:
        """Mean IoU and Dice."""
        predictor = Segmenter(model, self.codec)
        counts = counted(predictor, self.held_out, size=self.batch)
        total = counts.sum(axis=0)
        scores = {
            "iou": PixelOverlap(counts).value(total) / 100,
            "dice": PixelOverlap(counts, dice=True).value(total) / 100,
        }
        return self.told(scores, predictor)


def counted(predictor: Segmenter, held_out: HeldOut, *, size: int) -> Counts:
    """The pixels of every picture held out, as :class:`PixelOverlap` counts them; in frames."""
    rows = []
    for batch in held_out.batches(size):
        assert batch.masks is not None
        found = predictor.logits(batch.pixels)[0].argmax(dim=1)
        classes = len(predictor.codec.labels)
        for ours, gold in zip(found, batch.masks, strict=True):
            rows.append(overlap_counts(ours, gold, classes, ignored=IGNORED))
    return np.stack(rows)


def compared(before: Any, after: Any, held_out: HeldOut) -> Comparison:
    """Two segmenters on the same pictures."""
    sides = [counted(one, held_out, size=8) for one in (before, after)]
    changed = int((sides[0] != sides[1]).any(axis=1).sum())
    scores = [PixelOverlap(one).value(one.sum(axis=0)) for one in sides]
    return Comparison(len(sides[0]), changed, "mean IoU", *scores)
