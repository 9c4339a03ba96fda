"""What an answerer learns from and is measured on, wherever it comes from."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from PIL.Image import Image

Corners = tuple[float, float, float, float]
"""Left, top, right and bottom edge, as shares of the picture."""


class Asked(NamedTuple):
    """A question about a picture."""

    question: str
    answer: str
    about: tuple[Corners, ...] = ()
    """Where what it asks about is, if that is known."""
    kind: str = ""
    """What it asks for, if that is known."""


class Pictured(NamedTuple):
    """A picture and all questions about it."""

    name: str
    image: "Callable[[], Image]"
    """Reads it."""
    questions: tuple[Asked, ...]
    boxes: tuple[Corners, ...] = ()
    """Regions to look at, for a model of boxes."""
