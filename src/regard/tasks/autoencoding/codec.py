"""Between texts or pictures and numbers."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from regard.data.running import TextCodec
from regard.data.running.codec import TOKENS
from regard.data.running.codec import codec_from as text_codec_from
from regard.errors import InputError
from regard.json_text import parsed

FRAME = "frame.json"
Colours = tuple[float, float, float]


class FrameCodec(NamedTuple):
    """At which size pictures are seen, and what their colours are like."""

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
        return self._asdict()

    def files(self) -> dict[str, bytes]:
        """What a checkpoint keeps."""
        return {FRAME: (json.dumps(self._asdict(), indent=1) + "\n").encode()}


AutoCodec = TextCodec | FrameCodec
"""That of texts or that of pictures."""


def codec_from(files: Mapping[str, bytes], folder: Path) -> AutoCodec:
    """What ``files()`` of either codec gave.

    Raises:
        InputError: it is missing or damaged.
    """
    if TOKENS in files:
        return text_codec_from(files, folder)
    if FRAME not in files:
        raise InputError(f"{folder}: needs {TOKENS} or {FRAME}, and has neither")
    try:
        told = parsed(files[FRAME])
        mean, std = ([float(one) for one in told[name]] for name in ("mean", "std"))
        (red, green, blue), (r, g, b) = mean, std
        height, width = int(told["height"]), int(told["width"])
        return FrameCodec(height, width, (red, green, blue), (r, g, b))
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{folder / FRAME}: needs size and colours, {error!r}") from None
