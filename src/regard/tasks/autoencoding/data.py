"""Where texts and pictures come from."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from regard.data.running import GrammarText, TextFiles
from regard.data.sources import Files
from regard.errors import InputError

from ..image_classification.data import CLUTTER, DIGITS, LabelledPictures
from .codec import FrameCodec

if TYPE_CHECKING:
    from regard.data.images.labelled import Labelled
    from regard.data.images.labelled.base import Pixels

Text = GrammarText | TextFiles
"""Where texts come from."""
ENDS = (".zip", ".tsv", ".tsv.gz", ".csv", ".csv.gz")
"""How names of files end that hold pictures, or name them."""


def are_pictures(path: str) -> bool:
    """Whether this names pictures: a folder, a zip, a table, an idx file, a sheet, or digits."""
    from regard.data.images.store import ENDS as DRAWN

    return are_several(path) or Path(path).name.lower().endswith(tuple(DRAWN))


def are_several(path: str) -> bool:
    """Whether this names pictures that come many together."""
    place = Path(path)
    inside = place.name.lower().endswith(ENDS) or "idx3-ubyte" in place.name
    return path == DIGITS or inside or place.is_dir()


def kind_of(value: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of data that say which data it is: by what is named, unless they say so."""
    train = value.get("train")
    if train is None or value.get("kind", "files") != "files":
        return dict(value)
    first = train if isinstance(train, str) or not isinstance(train, Sequence) else train[0]
    return {**value, "kind": "pictures" if are_pictures(str(first)) else "files"}


class Seen(NamedTuple):
    """A picture, as a predictor takes it, and what it is."""

    content: object
    label: str
    place: str = ""
    """Where it comes from, if it is no file."""


class PictureFiles(LabelledPictures):
    """Pictures: in folders, with classes or without, tables beside a zip, sheets, idx files.

    Their labels, where there are any, colour the picture of the latents.
    """

    kind: Literal["pictures"] = "pictures"  # type: ignore[assignment]
    examples_are: ClassVar[str] = "pictures"

    train: Files = Field(default=(DIGITS,), min_length=1)
    """Pictures to learn from: a folder, a zip, a .tsv that names some, an idx file, a sheet; or the
    word digits."""
    valid: Files = ()
    """The same to validate on; some of the others are kept back without it."""

    def frame(self, asked: int | None) -> FrameCodec:
        """Size and colours.

        Raises:
            InputError: there are none to learn from.
        """
        import torch

        from regard.data.images.pixels import statistics

        size = self.size_for(asked)
        pixels, _ = self.training(size)
        if not len(pixels):
            raise InputError(f"{self.train[0]}: needs pictures to learn from, got none")
        mean, std = statistics(torch.from_numpy(pixels).permute(0, 3, 1, 2))
        return FrameCodec(*size, (mean[0], mean[1], mean[2]), (std[0], std[1], std[2]))

    def held_out_pixels(self, size: tuple[int, int]) -> "Pixels":
        """Pictures to validate on, (N, Y, X, 3)."""
        return self.held_out(size)[0]

    def seen(self) -> list[Seen]:
        """All pictures that are named by ``train``."""
        return [
            Seen(one.source(number), label, one.places[number])
            for one in self._read
            for number, label in enumerate(one.labels)
        ]

    @property
    def about(self) -> str:
        """How many pictures there are."""
        return f"{self.name}: {sum(map(len, self._read)):,} pictures"

    @cached_property
    def _read(self) -> "list[Labelled]":
        return [self._one(path) for path in self.train]

    def _one(self, path: str) -> "Labelled":
        if path.startswith(CLUTTER):
            raise InputError(f"autoencoding needs pictures that have an end, {path} has none")
        return read_pictures(path, pictures=self.pictures, columns=self.columns)


def read_pictures(
    path: str,
    *,
    pictures: str | None = None,
    columns: tuple[int | str, int | str] | None = None,
) -> "Labelled":
    """Pictures, with the labels that they have; those of a folder need not have any.

    Raises:
        InputError: there are none, or they cannot be read.
    """
    from regard.data.images.labelled import Files as PicturesOfFiles
    from regard.data.images.labelled import read_labelled_pictures
    from regard.data.images.store import PictureStore

    place = Path(path)
    if place.is_dir() or (place.suffix.lower() == ".zip" and place.is_file()):
        store = PictureStore(place)
        if not len(store):
            raise InputError(f"{path}: needs pictures, got none")
        labels = [Path(name).parent.name for name in store.names]
        return PicturesOfFiles(store, store.names, labels)
    return read_labelled_pictures(path, pictures=pictures, columns=columns)


def spread(count: int, most: int) -> list[int]:
    """So many numbers of them at most, evenly: files may come class by class."""
    if count <= most:
        return list(range(count))
    return sorted({*np.linspace(0, count - 1, most).round().astype(int).tolist()})
