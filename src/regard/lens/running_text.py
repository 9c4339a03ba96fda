"""Words in the terminal, shaded by how much they count."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .words import printable

if TYPE_CHECKING:
    from rich.text import Text

DARK, LIGHT = (20, 60, 66), (111, 214, 224)
"""Of no weight, and of the largest."""
FAINT = 0.1
"""What counts less than this share of the largest has no shade."""


def shaded(words: Sequence[str], weights: Sequence[float], *, title: str = "") -> "Text":
    """A text whose words are shaded, the largest weight the brightest.

    Args:
        words: one after the other.
        weights: of each, 0 or more.
        title: a line above.
    """
    from rich.text import Text

    largest = max(weights, default=0.0) or 1.0
    text = Text(f"{title}\n" if title else "", "bold")
    for word, weight in zip(words, weights, strict=True):
        text.append(printable(word), _style(weight / largest))
        text.append(" ", "not bold")
    return text


def _style(share: float) -> str:
    """Black on a shade; what hardly counted has none."""
    if share < FAINT:
        return "not bold"
    shade = [round(low + (high - low) * share) for low, high in zip(DARK, LIGHT, strict=True)]
    letters = "black" if share > 0.5 else "white"
    return f"not bold {letters} on rgb({shade[0]},{shade[1]},{shade[2]})"
