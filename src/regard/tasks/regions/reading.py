"""Pictures as a predictor is given them."""

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from regard.data.images import read_picture
from regard.data.regions import Letterbox, letterbox
from regard.types import Tensor, UInt8

if TYPE_CHECKING:
    from PIL.Image import Image

AHEAD = 8
"""Pictures that go through a model together."""

Source = Any
"""A path, bytes, an open file, or a picture of Pillow."""


class Framed(NamedTuple):
    """A picture in the frame of a model."""

    name: str
    picture: "Image"
    box: Letterbox
    pixels: UInt8[Tensor, "3 Y X"]


def framed(source: "str | os.PathLike[str] | bytes | IO[bytes] | Image", size: Any) -> Framed:
    """A picture read, and fitted into a frame.

    Args:
        source: a path, bytes, an open file, or a picture of Pillow.
        size: width and height of the frame.

    Raises:
        InputError: it cannot be read.
    """
    from PIL.Image import Image

    if isinstance(source, Image):
        picture = source if source.mode == "RGB" else source.convert("RGB")
    else:
        picture = read_picture(source)
    name = os.fspath(source) if isinstance(source, str | os.PathLike) else "picture"
    box = letterbox(picture.size, size)
    return Framed(name, picture, box, box.framed(picture))


def groups(sources: Iterable[Source], size: tuple[int, int]) -> Iterator[list[Framed]]:
    """Pictures in their frames, some at a time."""
    stream = iter(sources)
    while some := [framed(source, size) for source in islice(stream, AHEAD)]:
        yield some
