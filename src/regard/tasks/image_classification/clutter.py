"""Cluttered digits to train on, without end."""

from collections.abc import Iterable
from functools import partial

import numpy as np

from regard.data.batches import EndlessPools
from regard.data.clutter import Cluttered, cluttered
from regard.data.images.labelled.clutter import in_colour

from .batch import Batch, Corpus
from .codec import PictureCodec

POOL = 2048
"""Pictures that are drawn together."""


def endless(codec: PictureCodec) -> EndlessPools[Batch, Cluttered]:
    """Pictures by number; those from which the codec was learned come first."""
    return EndlessPools(
        partial(cluttered, 0), partial(_encoded, codec=codec), name="cluttered digits", size=POOL
    )


def _encoded(drawn: Iterable[Cluttered], *, codec: PictureCodec) -> Corpus:
    pictures = list(drawn)
    numbers = np.array([codec.number(str(one.digit)) for one in pictures], dtype=np.int64)
    return Corpus(in_colour([one.pixels for one in pictures], codec.size), numbers)
