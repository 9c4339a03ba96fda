"""Cluttered digits as labelled pictures: those of a split with the lowest numbers."""

from collections.abc import Sequence

import numpy as np

from ...clutter import Picture, cluttered
from ..pixels import pixels
from .base import Arrays, Pixels, Size

CLUTTER = "cluttered-digits"
COUNTS = {CLUTTER: 2000, f"{CLUTTER}-valid": 2000, f"{CLUTTER}-test": 2000}


def clutter(name: str) -> Arrays:
    """The first pictures of the split that a name ends with; of train without."""
    split = name.removeprefix(CLUTTER).removeprefix("-") or "train"
    drawn = [cluttered(0, number, split=split) for number in range(COUNTS[name])]
    side = drawn[0].pixels.shape[0]
    numbers = in_colour([one.pixels for one in drawn], (side, side))
    return Arrays(numbers, [str(one.digit) for one in drawn], name)


def in_colour(greys: Sequence[Picture], size: Size) -> Pixels:
    """Grey pictures in three equal colours, at one size."""
    found = np.repeat(np.stack(greys)[..., None], 3, axis=-1)
    if found.shape[1:3] == size:
        return found
    from PIL import Image

    return np.stack([pixels(Image.fromarray(one), size).permute(1, 2, 0).numpy() for one in found])
