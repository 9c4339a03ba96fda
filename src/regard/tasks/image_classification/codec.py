"""Between pictures with labels and numbers."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from regard.errors import InputError
from regard.json_text import parsed

UNKNOWN_LABEL = -100
"""The number of a label that was not learned: no loss is taken of it."""
NAME = "pictures.json"
Colours = tuple[float, float, float]


@dataclass(frozen=True)
class PictureCodec:
    """Which labels a model knows, and at which size it sees pictures."""

    labels: tuple[str, ...]
    """In the order of their numbers."""
    height: int
    """Pixels from above to below."""
    width: int
    """Pixels from left to right."""
    mean: Colours
    """Of red, green and blue over the pictures it was learned from, from 0 to 1."""
    std: Colours
    """Their standard deviations."""

    @property
    def size(self) -> tuple[int, int]:
        """Height and width."""
        return self.height, self.width

    def sizes(self) -> dict[str, Any]:
        """What a model's config needs to know."""
        return {
            "labels": len(self.labels),
            "height": self.height,
            "width": self.width,
            "mean": self.mean,
            "std": self.std,
        }

    def files(self) -> dict[str, bytes]:
        """What a checkpoint keeps."""
        told = {
            "labels": list(self.labels),
            "height": self.height,
            "width": self.width,
            "mean": list(self.mean),
            "std": list(self.std),
        }
        return {NAME: (json.dumps(told, ensure_ascii=False, indent=1) + "\n").encode()}

    def number(self, label: str) -> int:
        """The number of a label; that of no label if it was not learned."""
        return self._numbers.get(label, UNKNOWN_LABEL)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {label: number for number, label in enumerate(self.labels)}


def codec_from(files: Mapping[str, bytes], folder: Path) -> PictureCodec:
    """What :meth:`PictureCodec.files` gave.

    Raises:
        InputError: it is missing or damaged.
    """
    if NAME not in files:
        raise InputError(f"{folder / NAME}: needs to be there, and is not")
    try:
        told = parsed(files[NAME])
        red, green, blue = map(float, told["mean"])
        spread = [float(one) for one in told["std"]]
        labels = tuple(told["labels"])
        if not all(isinstance(label, str) for label in labels) or len(labels) < 1:
            raise ValueError("labels need to be texts")
        return PictureCodec(
            labels,
            int(told["height"]),
            int(told["width"]),
            (red, green, blue),
            (spread[0], spread[1], spread[2]),
        )
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise InputError(f"{folder / NAME}: needs labels, size and colours, {error!r}") from None
