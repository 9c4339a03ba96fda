"""What there is in scenes, and what it is called."""

from typing import NamedTuple


class Noun(NamedTuple):
    """A kind of thing."""

    one: str
    many: str


SHAPES = ("circle", "square", "triangle", "star", "cross", "ring")
"""Kinds that are drawn as outlines."""

DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
"""Kinds that are drawn with a font."""

KINDS = SHAPES + DIGITS
"""All kinds; their places here are the numbers of classes."""

NOUNS = {kind: Noun(kind, kind + ("es" if kind.endswith(("s", "x")) else "s")) for kind in KINDS}

COLOURS = {
    "red": (214, 39, 40),
    "orange": (255, 140, 20),
    "yellow": (247, 228, 60),
    "green": (40, 160, 60),
    "blue": (40, 90, 220),
    "purple": (140, 50, 170),
    "white": (248, 248, 248),
    "black": (16, 16, 16),
}
"""Names and what they look like, each a little different from thing to thing."""

SIZES = {"small": (0.105, 0.13), "large": (0.18, 0.22)}
"""Half the width of a thing, as shares of the picture: from, to."""

COUNTS = ("zero", "one", "two", "three", "four", "five", "six")
"""Numbers of things, in words."""

ROWS, COLUMNS = ("upper", "middle", "lower"), ("left", "centre", "right")


def place(row: int, column: int) -> str:
    """One of nine places, such as ``"upper left"``; the one amid all is ``"centre"``."""
    if row == 1:
        return "centre" if column == 1 else COLUMNS[column]
    return (
        "top"
        if (row, column) == (0, 1)
        else ("bottom" if column == 1 else f"{ROWS[row]} {COLUMNS[column]}")
    )
