"""What a captioner learns from and is measured on, wherever it comes from."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from PIL.Image import Image

    from regard.data.scenes import Scene


class Captioned(NamedTuple):
    """A picture and its captions."""

    name: str
    image: "Callable[[], Image]"
    """Reads it."""
    captions: tuple[str, ...]
    """All that are right, or that people wrote."""
    size: tuple[int, int] | None = None
    """Its true width and height, where it was squeezed."""
    scene: "Scene | None" = None
    """What is known of it, where we drew it ourselves."""
    nouns: "tuple[Mapping[int, Boxes], ...]" = ()
    """Of every caption, from the place of each noun among its words to where what it stands for is;
    nothing where that is not known."""


Boxes = tuple[tuple[float, float, float, float], ...]
"""Left, top, right and bottom edges, as shares of the picture."""


def boxes_by_noun(scene: "Scene", words: tuple[str, ...]) -> Mapping[int, Boxes]:
    """From the place of each noun among a caption's words to the boxes of what it stands for.

    The word before a noun is its colour; where there is no thing of both, the boxes are none.
    Edges are shares of the picture.
    """
    from regard.data.scenes.words import COLOURS, NOUNS

    nouns = {noun for pair in NOUNS.values() for noun in pair}
    side, found = scene.config.size, {}
    for place in range(1, len(words)):
        if words[place] not in nouns or words[place - 1] not in COLOURS:
            continue
        meant = [n for n, one in enumerate(scene.objects) if one.colour == words[place - 1]]
        boxes = scene.boxes_of(words[place], meant)
        found[place] = tuple(tuple(edge / side for edge in box) for box in boxes)
    return found  # type: ignore[return-value]
