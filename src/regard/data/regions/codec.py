"""Between pictures with regions of any size, and frames of one size with numbered labels."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from regard.errors import InputError
from regard.json_text import parsed

FILE = "regions.json"


class RegionCodec(NamedTuple):
    """Labels, and the frame that pictures are fitted into."""

    labels: tuple[str, ...]
    height: int
    """Rows of the frame."""
    width: int
    """Columns of it."""
    values: tuple[int, ...] = ()
    """What pixels of mask files say, one for each label; none where there are no such files."""

    def sizes(self) -> dict[str, int]:
        """What a model's config needs to know."""
        return {"classes": len(self.labels), "height": self.height, "width": self.width}

    def files(self) -> dict[str, bytes]:
        """What a checkpoint keeps."""
        return {FILE: json.dumps(self._asdict(), ensure_ascii=False).encode()}


def codec_from(files: Mapping[str, bytes], folder: Path) -> RegionCodec:
    """What :meth:`RegionCodec.files` gave.

    Raises:
        InputError: it is missing or damaged.
    """
    try:
        said = parsed(files[FILE])
        found = RegionCodec(
            tuple(said["labels"]), said["height"], said["width"], tuple(said["values"])
        )
    except (KeyError, TypeError, ValueError):
        raise InputError(f"{folder / FILE}: is missing or damaged") from None
    whole = (found.height, found.width, *found.values)
    if not all(type(number) is int for number in whole) or not found.labels:
        raise InputError(f"{folder / FILE}: is damaged")
    return found
