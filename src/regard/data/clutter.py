"""Cluttered digits: one handwritten digit somewhere on a picture, among scraps of others.

Mnih et al. 2014, section 4.1 (https://arxiv.org/abs/1406.6247), with the 8 × 8 digits that come
with scikit-learn, enlarged: 1,797 of them, of which two parts are held out.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regard.config import Config
from regard.errors import RangeError
from regard.extras import need

from .chance import uniform
from .grammar.generator import SPLITS, known_split

Picture = NDArray[np.uint8]
"""(Y, X), light on dark."""
DIGITS = 10
TENTHS = {"train": range(8), "valid": range(8, 9), "test": range(9, 10)}
"""Of the digits of scikit-learn, which go where: every tenth one of them."""


class ClutterConfig(Config):
    """What the pictures are like."""

    side: int = 60
    """Pixels of a side."""
    smallest: int = 20
    """Least side of the enlarged digit."""
    largest: int = 28
    """Largest side."""
    scraps: int = 8
    """Pieces of other digits, each as large as ``scrap``."""
    scrap: int = 8
    """Side of a piece."""

    def checked(self) -> "ClutterConfig":
        """The same.

        Raises:
            RangeError: a digit that does not fit.
        """
        if not 8 <= self.smallest <= self.largest <= self.side or not 1 <= self.scrap <= self.side:
            raise RangeError(
                f"cluttered digits need sides 8 ≤ smallest ≤ largest ≤ side and a scrap that fits, "
                f"got {self.smallest}, {self.largest}, {self.side} and {self.scrap}"
            )
        return self


class Cluttered(NamedTuple):
    """A picture, which digit is on it, and where."""

    pixels: Picture
    digit: int
    box: tuple[int, int, int, int]
    """Left, top, right and bottom edge of the digit, in pixels."""


USUAL = ClutterConfig()


def cluttered(
    seed: int, index: int, *, split: str = "train", config: ClutterConfig = USUAL
) -> Cluttered:
    """The picture with a number; a pure function of its arguments, on every machine.

    Digits of one split are never seen in another, neither whole nor in scraps.

    Args:
        seed: another seed, other pictures.
        index: its number, 0 or more.
        split: ``"train"``, ``"valid"`` or ``"test"``.
        config: what pictures are like.

    Raises:
        ChoiceError: no such split.
        RangeError: a negative number, or settings that cannot be.
        MissingExtraError: scikit-learn is not installed.
    """
    if min(seed, index) < 0:
        raise RangeError(f"seed and index must be 0 or more, got {seed} and {index}")
    config.checked()
    labels = _digits(known_split(split))[1]
    chance = seed, SPLITS.index(split), index
    drawn = uniform(*chance, np.arange(5 + 6 * config.scraps))
    canvas = np.zeros((config.side, config.side), dtype=np.uint8)
    for row in drawn[5:].reshape(-1, 6):
        _paste_scrap(canvas, split, row, config)
    chosen = int(drawn[0] * len(labels))
    side = config.smallest + int(drawn[1] * (config.largest - config.smallest + 1))
    digit = _enlarged(split, side)[chosen]
    left, top = (int(x * (config.side - side + 1)) for x in drawn[2:4])
    place = canvas[top : top + side, left : left + side]
    np.maximum(place, digit, out=place)
    return Cluttered(canvas, int(labels[chosen]), (left, top, left + side, top + side))


def _paste_scrap(
    canvas: Picture, split: str, row: NDArray[np.float64], config: ClutterConfig
) -> None:
    """A piece of another digit, anywhere."""
    side = (config.smallest + config.largest) // 2
    digits = _enlarged(split, side)
    whole = digits[int(row[0] * len(digits))]
    size = min(config.scrap, side)
    x, y = (int(part * (side - size + 1)) for part in row[1:3])
    left, top = (int(part * (config.side - size + 1)) for part in row[3:5])
    place = canvas[top : top + size, left : left + size]
    np.maximum(place, whole[y : y + size, x : x + size], out=place)


@cache
def _digits(split: str) -> tuple[Picture, NDArray[np.int64]]:
    """The digits of a split, (n, 8, 8) from 0 to 255, and which they are."""
    found = need("sklearn.datasets", "handwritten digits").load_digits()
    numbers = np.arange(len(found.target)) % DIGITS
    kept = np.isin(numbers, list(TENTHS[split]))
    pictures = np.clip(np.rint(found.images[kept] * (255 / 16)), 0, 255).astype(np.uint8)
    return pictures, found.target[kept].astype(np.int64)


def _weights(side: int) -> NDArray[np.float64]:
    """From 8 pixels to ``side`` of them, by linear interpolation: (side, 8)."""
    at = np.clip((np.arange(side) + 0.5) * 8 / side - 0.5, 0, 7)
    low = np.minimum(at.astype(np.int64), 6)
    found = np.zeros((side, 8))
    found[np.arange(side), low] = 1 - (at - low)
    found[np.arange(side), low + 1] += at - low
    return found


@cache
def _enlarged(split: str, side: int) -> Picture:
    """All digits of a split, (n, side, side)."""
    weights = _weights(side)
    found: Picture = np.rint(weights @ _digits(split)[0] @ weights.T).astype(np.uint8)
    return found
