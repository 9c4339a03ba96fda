"""How much room letters take in pictures and pages."""

import unicodedata

WIDE = ("W", "F")
WIDTHLESS = ("Mn", "Me", "Cf")
"""Categories of marks that stand above, below or nowhere."""


def width_of(text: str) -> int:
    """The width of a text in columns of ordinary letters; Chinese ones take two.

    In a terminal, whose columns are not to be missed, rich counts them.
    """
    return sum(map(_width, text))


def _width(letter: str) -> int:
    if unicodedata.category(letter) in WIDTHLESS:
        return 0
    return 2 if unicodedata.east_asian_width(letter) in WIDE else 1
