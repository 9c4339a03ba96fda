"""Unicode composition (NFC) in linear time."""

from collections.abc import Iterator
from unicodedata import category, normalize

PIECE = 256
"""Characters that are composed at once: to put n marks of one letter in order takes n² steps."""


def composed(text: str) -> str:
    """``text`` in composed form (NFC).

    Differs from the standard where more than 256 marks follow each other: they are put in order
    piece by piece (as its stream-safe form, UAX 15, section 13, does after 30).
    """
    return "".join(normalize("NFC", piece) for piece in _pieces(text))


def _pieces(text: str) -> Iterator[str]:
    """Parts of ``text`` in a row; marks and vowels of Hangul stay with what they join, if it is
    less than a part away.
    """
    start = 0
    while len(text) - start > PIECE:
        last = start + PIECE
        begins = (
            place
            for place in range(last, start, -1)
            if category(text[place])[0] != "M" and not "\u1160" <= text[place] <= "\u11ff"
        )
        end = next(begins, last)
        yield text[start:end]
        start = end
    yield text[start:]
