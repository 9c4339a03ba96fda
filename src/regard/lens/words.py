"""Words made printable, their direction and the room they take."""

import unicodedata
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.text import Text

Direction = Literal["ltr", "rtl"]
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
EMPTY = "\N{EMPTY SET}"
DIRECTIONS = {"L": "ltr", "R": "rtl", "AL": "rtl"}
STEERING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
"""Classes of the characters that turn the direction of what follows them."""
MARK = "\N{LEFT-TO-RIGHT MARK}"
LONGEST = 1000
"""Letters of a sentence that are shown above a drawing."""
ISOLATE, END = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"


def printable(word: str) -> str:
    """``word`` without anything that is not a letter or sign of it.

    Control characters become their picture (``␛``), white space a blank, lone surrogates a
    replacement character; characters that turn the direction of writing are left out. A word of
    nothing becomes ``∅``.
    """
    kept = "".join(map(_printable, word)).strip()
    return kept or EMPTY


def _printable(character: str) -> str:
    category = unicodedata.category(character)
    if unicodedata.bidirectional(character) in STEERING:
        return ""
    if character.isspace():
        return " "
    if category == "Cs":
        return REPLACEMENT
    if category == "Cc":
        return chr(0x2400 + ord(character)) if ord(character) < 0x20 else "\N{SYMBOL FOR DELETE}"
    return character


def direction(*words: str) -> Direction:
    """Which way words are read: that of most of their letters, left to right if none has any."""
    classes = [DIRECTIONS.get(unicodedata.bidirectional(c)) for word in words for c in word]
    return "rtl" if classes.count("rtl") > classes.count("ltr") else "ltr"


def bidi_isolate(word: str) -> str:
    """``word`` so that, in a line read from the left, it turns nothing but itself.

    A word with a letter of a right-to-left script is put into an isolate between two left-to-right
    marks: the marks hold the line together where isolates are not understood.
    """
    rtl = any(unicodedata.bidirectional(c) in ("R", "AL", "AN") for c in word)
    return f"{MARK}{ISOLATE}{word}{END}{MARK}" if rtl else word


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


def heading(source: str, target: str | None = None) -> "Text":
    """Sentences in one line; nothing in them moves the cursor or turns its neighbour."""
    from rich.text import Text

    parts = [source] if target is None else [source, target]
    styled = [Text(bidi_isolate(_cut(printable(part))), "bold") for part in parts]
    return Text.assemble("\n", Text(" → ").join(styled))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
