"""Colours and block characters for weights in a terminal."""

from dataclasses import dataclass

from rich.color import Color
from rich.color_triplet import ColorTriplet
from rich.style import Style

RAMP = ((20, 32, 40), (27, 74, 86), (31, 122, 131), (94, 184, 176), (226, 245, 226))
"""From no weight to all of it, at equal distances; every cell is painted, so that the map is the
same on a dark and on a light background."""
LIGHT, FAINT = (214, 230, 228), (106, 134, 144)
"""Letters on dark cells, and those of weights that hardly count."""
STEPS = (0.05, 0.25, 0.5, 0.75)
"""From which shares on the next block is used."""
GAMMA = 0.75
"""Small weights are lifted a little, or they could not be told from none."""


def colour(share: float) -> tuple[int, int, int]:
    """The colour for ``share`` between 0 and 1."""
    place = share**GAMMA * (len(RAMP) - 1)
    below = min(int(place), len(RAMP) - 2)
    rest = place - below
    red, green, blue = (
        round(low + (high - low) * rest)
        for low, high in zip(RAMP[below], RAMP[below + 1], strict=True)
    )
    return red, green, blue


def cell_style(share: float) -> Style:
    """A painted cell with letters that can be read on it."""
    background = colour(share)
    bright = sum(part * by for part, by in zip(background, (0.3, 0.59, 0.11), strict=True)) > 120
    letters = RAMP[0] if bright else FAINT if share < STEPS[0] else LIGHT
    return Style(color=_rich(letters), bgcolor=_rich(background), bold=share >= STEPS[2])


@dataclass(frozen=True)
class Blocks:
    """Letters in place of colours, from no weight to all of it."""

    letters: str = " ░▒▓█"
    nothing: str = "·"
    """Stands in the middle of a cell of no weight, so that rows can be followed."""

    def cell(self, share: float, width: int) -> str:
        """A cell for ``share`` between 0 and 1, a gap after it."""
        letter = self.letters[sum(share >= step for step in STEPS)]
        if letter == " ":
            return self.nothing.rjust(width // 2).ljust(width - 1) + " "
        return letter * (width - 1) + " "


def _rich(rgb: tuple[int, int, int]) -> Color:
    return Color.from_triplet(ColorTriplet(*rgb))
