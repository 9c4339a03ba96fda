"""Boxes and outlines in a JSON file of COCO's form."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from regard.errors import InputError

from ..pictured.json_file import json_of
from .example import Outline, Polygon, Region, RegionExample, whole
from .rle import run_lengths


def read_coco(path: str) -> list[RegionExample]:
    """Pictures with boxes ``[x, y, width, height]`` in pixels, and polygons or run lengths.

    Lin et al. 2014 (https://arxiv.org/abs/1405.0312). Crowds are left out, and so is what has no
    area; pictures come by the name of their file.

    Args:
        path: plain or gzip.

    Raises:
        InputError: not of this form.
    """
    content = _loaded(path)
    names = {one["id"]: str(one["name"]) for one in _listed(content, "categories", path)}
    pictures = {one["id"]: one for one in _listed(content, "images", path)}
    found: dict[Any, list[Region]] = {number: [] for number in pictures}
    for number, one in enumerate(_listed(content, "annotations", path)):
        place = f"{path}: annotation {one.get('id', number)}"
        if one.get("iscrowd"):
            continue
        if one.get("image_id") not in pictures or one.get("category_id") not in names:
            raise InputError(f"{place}: is of an image or a category that is not listed")
        region = _region(one, pictures[one["image_id"]], names[one["category_id"]], place)
        if region is not None:
            found[one["image_id"]].append(region)
    return [
        RegionExample(str(one["file_name"]), tuple(found[number]), f"{path}: image {number}")
        for number, one in pictures.items()
    ]


def _loaded(path: str) -> Mapping[str, Any]:
    content = json_of(path)
    if not isinstance(content, Mapping):
        raise InputError(f"{path}: needs to be an object of images, annotations and categories")
    return content


REQUIRED = {
    "images": ("id", "file_name", "width", "height"),
    "categories": ("id", "name"),
    "annotations": ("image_id", "category_id"),
}


def _listed(content: Mapping[str, Any], what: str, path: str) -> list[Any]:
    """The entries of one list, each with what it must have."""
    entries = content.get(what)
    if not isinstance(entries, list):
        raise InputError(f"{path}: needs a list of {what}, got {type(entries).__name__}")
    for number, one in enumerate(entries):
        lacks = [name for name in REQUIRED[what] if not isinstance(one, dict) or name not in one]
        if lacks:
            raise InputError(f"{path}: {what} number {number} needs {', '.join(lacks)}")
        for name in REQUIRED[what]:
            if name.endswith("id") and not isinstance(one[name], int | str):
                raise InputError(
                    f"{path}: {what} number {number} needs a number as {name}, got "
                    f"{one[name]!r:.40}"
                )
    return entries


def _region(one: Mapping[str, Any], picture: Any, label: str, place: str) -> Region | None:
    try:
        width, height = float(picture["width"]), float(picture["height"])
        x, y, wide, high = map(float, one["bbox"])
        edges = x / width, y / height, (x + wide) / width, (y + high) / height
        if not all(map(isfinite, edges)):
            raise ValueError
    except (KeyError, TypeError, ValueError, ZeroDivisionError, OverflowError):
        raise InputError(
            f"{place}: needs bbox [x, y, width, height], got {one.get('bbox')!r:.60}"
        ) from None
    if not (wide > 0 and high > 0):
        return None
    outline = _outline(one.get("segmentation"), width, height, place)
    return Region(label, whole(edges), outline)


def _outline(said: Any, width: float, height: float, place: str) -> Outline | None:
    """Polygons in shares, or run lengths; ``None`` where nothing is said."""
    if not said:
        return None
    try:
        if isinstance(said, Mapping):
            rows, columns = said["size"]
            return run_lengths(int(rows), int(columns), said["counts"], place)
        return tuple(_polygon(one, width, height) for one in said if len(one) >= 6)
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, ZeroDivisionError, OverflowError):
        raise InputError(f"{place}: its segmentation is neither polygons nor run lengths") from None


def _polygon(numbers: Sequence[Any], width: float, height: float) -> Polygon:
    pairs = zip(numbers[::2], numbers[1::2], strict=True)
    found = tuple((float(x) / width, float(y) / height) for x, y in pairs)
    if not all(isfinite(share) for corner in found for share in corner):
        raise ValueError
    return found
