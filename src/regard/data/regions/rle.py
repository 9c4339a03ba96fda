"""Masks as run lengths, as COCO writes them: column by column, pixels without and within in turns.

The compressed form writes each length, from the third on less the one before the last, in groups of
five bits, the lowest first: the sixth bit says that another group follows, and the fifth of the
last one is the sign; 48 is added to each to make it a letter.
"""

from itertools import pairwise
from typing import NamedTuple

import torch

from regard.errors import InputError
from regard.types import Bool, Tensor

from ..images.reading import MOST_PIXELS

_FIRST = 48
_MORE, _SIGN = 0x20, 0x10
_BITS = 60
"""Of a length at most; a picture has fewer pixels by far."""


class RunLengths(NamedTuple):
    """Pixels without, within, without, …, down the columns from the left."""

    height: int
    width: int
    counts: tuple[int, ...]

    def mask(self) -> Bool[Tensor, "Y X"]:
        """Which pixels are within."""
        values = torch.arange(len(self.counts)) % 2 == 1
        flat = values.repeat_interleave(torch.tensor(self.counts, dtype=torch.long))
        return flat.view(self.width, self.height).mT.contiguous()


def run_lengths(height: int, width: int, counts: object, place: str = "") -> RunLengths:
    """Run lengths as COCO has them: a list of numbers, or the compressed text.

    Args:
        height: rows of the mask.
        width: columns.
        counts: what is written.
        place: where, for messages.

    Raises:
        InputError: neither, lengths that do not fill the mask, or a mask larger than any picture
            may be.
    """
    if height < 0 or width < 0 or height * width > MOST_PIXELS:
        raise InputError(
            f"{place}: a mask may have {MOST_PIXELS:,} pixels, and this one says it has more"
        )
    if isinstance(counts, str | bytes):
        text = counts.encode("latin-1", "replace") if isinstance(counts, str) else counts
        found = _decompressed(text, place)
    elif isinstance(counts, list | tuple) and all(type(count) is int for count in counts):
        found = list(counts)
    else:
        raise InputError(f"{place}: run lengths need to be numbers or text, got {counts!r:.40}")
    if sum(found) != height * width or any(count < 0 for count in found):
        raise InputError(
            f"{place}: run lengths need to fill {height} × {width} pixels, got {sum(found):,} of "
            f"{height * width:,}"
        )
    return RunLengths(height, width, tuple(found))


def encoded(mask: Bool[Tensor, "Y X"]) -> RunLengths:
    """The run lengths of a mask."""
    height, width = mask.shape
    flat = mask.mT.flatten()
    edges = (flat[1:] != flat[:-1]).nonzero()[:, 0] + 1
    bounds = [0, *edges.tolist(), len(flat)]
    counts = [end - start for start, end in pairwise(bounds)]
    within_first = bool(len(flat) and flat[0])
    return RunLengths(height, width, (0, *counts) if within_first else tuple(counts))


def compressed(lengths: RunLengths) -> str:
    """The text that COCO keeps them as."""
    letters = []
    for place, count in enumerate(lengths.counts):
        number = count - lengths.counts[place - 2] if place > 2 else count
        while True:
            group, number = number & 0x1F, number >> 5
            ends = number == (-1 if group & _SIGN else 0)
            letters.append(chr(_FIRST + (group if ends else group | _MORE)))
            if ends:
                break
    return "".join(letters)


def _decompressed(text: bytes, place: str) -> list[int]:
    found: list[int] = []
    number = shift = 0
    for letter in text:
        group = letter - _FIRST
        if not 0 <= group < 64:
            raise InputError(f"{place}: {chr(letter)!r} is no letter of compressed run lengths")
        number |= (group & 0x1F) << shift
        shift += 5
        if shift > _BITS:
            raise InputError(f"{place}: a run length has more than {_BITS} bits")
        if group & _MORE:
            continue
        if group & _SIGN:
            number -= 1 << shift
        found.append(number + (found[-2] if len(found) > 2 else 0))
        number = shift = 0
    if shift:
        raise InputError(f"{place}: the run lengths are cut short")
    return found
