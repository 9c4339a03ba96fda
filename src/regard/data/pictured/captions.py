"""Pictures with captions: ``name TAB caption TAB …``, or JSON as COCO has it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from regard.errors import InputError

from ..pairs.lines import Place, cleaned, lines, name_of
from .json_file import json_of

Size = tuple[int, int]
"""Width and height."""


class CaptionedPicture(NamedTuple):
    """The name of a picture, and what is said of it."""

    picture: str
    """Its name in a folder or a zip, with or without its end."""
    captions: tuple[str, ...]
    size: Size | None = None
    """Its true width and height, where it was squeezed; to be drawn in."""
    place: Place | None = None


def read_captions(path: Path | str) -> list[CaptionedPicture]:
    """The pictures of a file, plain or gzip.

    In columns separated by tabs: the name of a picture, then its true width and height if both are
    whole numbers, then one caption or several. Lines of one picture belong together. ``*.json`` is
    COCO's: ``images`` with ``id`` and ``file_name``, ``annotations`` with ``image_id`` and
    ``caption``.

    Raises:
        InputError: bad data, named by file and line, or not one caption.
    """
    name = str(path).lower().removesuffix(".gz")
    found = list(_coco(path) if name.endswith(".json") else _columns(path))
    if not found:
        raise InputError(f"{name_of(path)}: needs at least one picture with a caption, got none")
    return _together(found)


def _together(rows: list[CaptionedPicture]) -> list[CaptionedPicture]:
    """One entry for each picture, in the order in which they first come."""
    known: dict[str, CaptionedPicture] = {}
    for row in rows:
        before = known.get(row.picture)
        known[row.picture] = (
            row if before is None else before._replace(captions=before.captions + row.captions)
        )
    return list(known.values())


def _columns(path: Path | str) -> Iterator[CaptionedPicture]:
    for place, text in lines(path):
        picture, *rest = (cleaned(cell) for cell in text.split("\t"))
        if not picture and not any(rest):
            continue
        size = None
        if len(rest) > 2 and all(cell.isascii() and cell.isdigit() for cell in rest[:2]):
            size, rest = (int(rest[0]), int(rest[1])), rest[2:]
        captions = tuple(caption for caption in rest if caption)
        if not picture or not captions:
            what = "a caption behind it" if picture else "the name of a picture"
            raise InputError(f"{place}: needs {what}, got none; columns are separated by tabs")
        yield CaptionedPicture(picture, captions, size, place)


def _coco(path: Path | str) -> Iterator[CaptionedPicture]:
    found, name = json_of(path), name_of(path)
    try:
        images = {image["id"]: image for image in found["images"]}
        said: dict[Any, list[str]] = {number: [] for number in images}
        for one in found["annotations"]:
            said[one["image_id"]].append(cleaned(str(one["caption"])))
        for number, image in images.items():
            size = (int(image["width"]), int(image["height"])) if "width" in image else None
            if said[number]:
                yield CaptionedPicture(str(image["file_name"]), tuple(said[number]), size)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{name}: needs images with id and file_name, and annotations with image_id and "
            f"caption, as COCO has them; missing or wrong is {error}"
        ) from None
