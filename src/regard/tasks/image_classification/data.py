"""Where pictures with labels come from."""

from collections import Counter
from collections.abc import Callable
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from regard.data.sources import File, Files, FileSource, Share
from regard.errors import InputError

from .codec import PictureCodec

if TYPE_CHECKING:
    from regard.data.batches.pools import Positions
    from regard.data.images.labelled import Labelled
    from regard.data.images.labelled.base import Pixels

    from .batch import Corpus

DIGITS = "digits"
"""What is learned from where nothing is named: handwritten digits of scikit-learn."""
CLUTTER = "cluttered-digits"
"""The same somewhere among scraps of others, endless; ``-valid`` and ``-test`` behind it are others
to be validated on."""
WORDS = (DIGITS, CLUTTER, f"{CLUTTER}-valid", f"{CLUTTER}-test")
"""What names no file."""
USUAL_SIZE = 64
"""Sides of pictures that need not have one size, unless another is asked for."""


class Example(NamedTuple):
    """A picture to be judged: what a predictor takes, and what it is."""

    content: object
    labels: tuple[str, ...]
    place: str
    """Where it comes from."""


class LabelledPictures(FileSource):
    """Pictures of some classes: folders of them, tables beside a zip, sheets, idx files, digits."""

    files: ClassVar[tuple[str, ...]] = ("train", "valid", "pictures")

    train: Files = Field(default=(DIGITS,), min_length=1)
    """To learn from: a folder with one for every class, a .tsv of names and labels, an idx file, a
    sheet; several of a kind, or the word digits."""
    valid: Files = ()
    """The same to validate on; some of the others are kept back without it."""
    pictures: File | None = None
    """Folder or zip of the pictures that a table names; its own folder if not given."""
    columns: tuple[int | str, int | str] | None = None
    """Of label and name in a table, counted from 1, or their names in its header; 2 and 1 if not
    given."""
    kept_back: Share = 0.1
    """Share of the pictures that is kept back without ``valid``."""
    valid_size: int = Field(default=5000, ge=1)
    """Pictures to validate on at most."""

    @property
    def endless(self) -> bool:
        """Whether there are always more pictures."""
        return self.train == (CLUTTER,)

    def size_for(self, asked: int | None) -> tuple[int, int]:
        """Height and width at which they are learned."""
        if asked is not None:
            return asked, asked
        own = {one.size for one in self._read}
        found = own.pop() if len(own) == 1 else None
        return found or (USUAL_SIZE, USUAL_SIZE)

    def learn(self, asked: int | None) -> PictureCodec:
        """Labels, size and colours.

        Raises:
            InputError: fewer than two classes.
        """
        from regard.data.images.pixels import statistics

        size = self.size_for(asked)
        pixels, labels = self.training(size)
        known = tuple(sorted(set(labels), key=_order))
        if len(known) < 2:
            raise InputError(
                f"{self.train[0]}: needs pictures of two classes or more, got {', '.join(known)}"
            )
        import torch

        mean, std = statistics(torch.from_numpy(pixels).permute(0, 3, 1, 2))
        return PictureCodec(known, *size, (mean[0], mean[1], mean[2]), (std[0], std[1], std[2]))

    def training(self, size: tuple[int, int]) -> "tuple[Pixels, list[str]]":
        """The pictures to learn from, and their labels."""
        pixels, labels = self._at(size)
        if self.valid:
            return pixels, labels
        kept = self._kept_back(pixels)
        return pixels[~kept], [one for one, back in zip(labels, kept, strict=True) if not back]

    def held_out(self, size: tuple[int, int]) -> "tuple[Pixels, list[str], list[Example]]":
        """Pictures to validate on, their labels, and both as they were read.

        Raises:
            InputError: there are none.
        """
        if self.valid:
            found = [self._one(path) for path in self.valid]
            pixels = np.concatenate([one.pixels(size) for one in found])
            rows: Positions = np.arange(len(pixels))
        else:
            found = self._read
            pixels, _ = self._at(size)
            rows = np.flatnonzero(self._kept_back(pixels))
        if not len(rows):
            raise InputError(
                f"{self.train[0]}: too few pictures to keep some back for validation; name others "
                "for it by --valid"
            )
        rows = _spread(rows, self.valid_size)
        every = [(one, number) for one in found for number in range(len(one))]
        examples = [
            Example(one.source(number), (one.labels[number],), one.places[number])
            for one, number in (every[row] for row in rows[:SAMPLES])
        ]
        labels = [every[row][0].labels[every[row][1]] for row in rows]
        return pixels[rows], labels, examples

    def examples(self) -> list[Example]:
        """All pictures that are named by ``train``, as a predictor takes them."""
        return [
            Example(one.source(number), (label,), one.places[number])
            for one in self._read
            for number, label in enumerate(one.labels)
        ]

    def judged(self, size: tuple[int, int], count: int) -> list[Example]:
        """The first pictures to validate on, as a predictor takes them."""
        pixels, labels, _ = self.held_out(size)
        import torch

        tensors = torch.from_numpy(pixels[:count]).permute(0, 3, 1, 2)
        return [
            Example(one, (label,), self.name) for one, label in zip(tensors, labels, strict=False)
        ]

    def corpus(self, codec: PictureCodec) -> "Corpus":
        """The pictures to train on, as numbers."""
        from .batch import Corpus

        pixels, labels = self.training(codec.size)
        return Corpus(pixels, np.array([codec.number(label) for label in labels], dtype=np.int64))

    @property
    def about(self) -> str:
        """How many pictures of what there are."""
        counts = Counter(label for one in self._read for label in one.labels)
        return f"{self.name}: {sum(counts.values()):,} pictures of {len(counts)} classes"

    @property
    def origin(self) -> str:
        """What ``regard data get`` has written down beside the files."""
        if self.train in ((DIGITS,), (CLUTTER,)):
            return "scikit-learn, UCI's Optical Recognition of Handwritten Digits, CC BY 4.0"
        return super().origin

    @cached_property
    def _read(self) -> "list[Labelled]":
        return [self._one(path) for path in self.train]

    @cached_property
    def _decoded(self) -> "dict[tuple[int, int], Pixels]":
        return {}

    def _at(self, size: tuple[int, int]) -> "tuple[Pixels, list[str]]":
        """All pictures that are named, read once."""
        if size not in self._decoded:
            self._decoded[size] = np.concatenate([one.pixels(size) for one in self._read])
        return self._decoded[size], [label for one in self._read for label in one.labels]

    def _one(self, path: str) -> "Labelled":
        from regard.data.images.labelled import read_labelled_pictures

        return read_labelled_pictures(path, pictures=self.pictures, columns=self.columns)

    def _kept_back(self, pixels: "Pixels") -> "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]":
        """Decided by the pixels alone: the same ones whatever else there is, doubles together."""
        most = self.kept_back * 2**64
        return np.array(
            [int.from_bytes(sha256(one.tobytes()).digest()[:8], "big") < most for one in pixels]
        )

    def _renamed(self, rename: Callable[[str], str]) -> "LabelledPictures":
        """Digits lie in no file."""
        return super()._renamed(lambda path: path if path in WORDS else rename(path))


SAMPLES = 3
"""Pictures that are shown with each validation."""


def _spread(rows: "Positions", most: int) -> "Positions":
    """So many of them at most, evenly: files may come class by class."""
    if len(rows) <= most:
        return rows
    return rows[np.linspace(0, len(rows) - 1, most).round().astype(np.int64)]


def _order(label: str) -> tuple[int, str]:
    """Numbers by their size, before words."""
    return (int(label), "") if label.isdecimal() else (10**9, label)
