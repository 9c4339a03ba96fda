"""How well masks cover what they should: IoU and Dice of each class, with intervals."""

from typing import NamedTuple

import numpy as np

from regard.errors import ShapeError
from regard.types import Int, Tensor, UInt8

from .match_counts import Counts, Resampling, interval
from .score import Score


class PixelOverlap(NamedTuple):
    r"""Pixels of every picture: of each class what is found, what is there, and what is both.

    .. math:: \text{IoU}_c = \frac{|P_c \cap G_c|}{|P_c \cup G_c|}, \quad
              \text{Dice}_c = \frac{2 |P_c \cap G_c|}{|P_c| + |G_c|}

    summed over pictures, then the mean over classes that are somewhere, as Everingham et al. 2010
    have it (https://doi.org/10.1007/s11263-009-0275-4).
    """

    counts: Counts
    """(S, 3 C): of every picture the pixels in common, found, and there, class by class."""
    name: str = "mean IoU"
    dice: bool = False
    """Whether the score is Dice instead of IoU."""

    def by_class(self, total: Counts) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
        """The score of each class from sums, from 0 to 100; NaN for one that is nowhere."""
        common, found, there = np.asarray(total, dtype=np.float64).reshape(3, -1)
        with np.errstate(invalid="ignore"):
            if self.dice:
                return 200 * common / (found + there)
            return 100 * common / (found + there - common)

    def value(self, total: Counts) -> float:
        """The mean over classes; 0 of nothing."""
        scores = self.by_class(total)
        return float(np.nanmean(scores)) if not np.isnan(scores).all() else 0.0

    def score(self, resampling: Resampling | None = None) -> Score:
        """The score over all pictures, with its interval if that is asked for."""
        found = None if resampling is None else interval(self, resampling)
        return Score(self.value(self.counts.sum(axis=0)), self.name, "mean over classes", found)


def overlap_counts(
    predicted: Int[Tensor, "*pixels"] | UInt8[Tensor, "*pixels"],
    gold: Int[Tensor, "*others"] | UInt8[Tensor, "*others"],
    classes: int,
    *,
    ignored: int | None = None,
) -> Counts:
    """The row of one picture.

    Args:
        predicted: a class for each pixel.
        gold: the class that is right.
        classes: how many there are, counted from 0.
        ignored: a number in ``gold`` which says that a pixel does not count.

    Raises:
        ShapeError: more predictions than gold, or fewer.
    """
    if predicted.shape != gold.shape:
        raise ShapeError(
            f"every pixel needs a prediction and gold, got {tuple(predicted.shape)} and "
            f"{tuple(gold.shape)}"
        )
    ours, theirs = predicted.flatten().long(), gold.flatten().long()
    if ignored is not None:
        ours, theirs = ours[theirs != ignored], theirs[theirs != ignored]
    rows = [
        np.bincount(one.numpy(), minlength=classes)[:classes]
        for one in (ours[ours == theirs], ours, theirs)
    ]
    return np.concatenate(rows).astype(np.int64)
