"""Where pieces and words stand in a text, which of them touch, and characters spelled in bytes."""

from collections.abc import Iterable, Sequence

from regard.errors import InputError

from .splitting import tokens

Span = tuple[int, int]
"""The first character, and the one behind the last."""


def word_spans(text: str, words: Sequence[str] | None = None) -> list[Span]:
    """Where ``words`` stand in ``text``; without them, where those between spaces do.

    Raises:
        InputError: a word that is not in the text after the one before it.
    """
    found: list[Span] = []
    end = 0
    for word in text.split() if words is None else words:
        start = text.find(word, end)
        if start < 0:
            raise InputError(f"the word {word!r} is not in {text!r} behind character {end}")
        end = start + len(word)
        found.append((start, end))
    return found


def touching(pieces: Sequence[Span], words: Sequence[Span]) -> list[range]:
    """For every word the pieces that share a character with it; both are in order of the text.

    A piece without a character, such as a space before the text, belongs to the word behind it.
    """
    if pieces == words:  # nearly always, where pieces are words
        return [range(place, place + 1) for place in range(len(words))]
    found: list[range] = []
    first = 0
    for start, end in words:
        while first < len(pieces) and max(pieces[first][1], pieces[first][0] + 1) <= start:
            first += 1
        last = first
        while last < len(pieces) and pieces[last][0] < end:
            last += 1
        found.append(range(first, last))
    return found


def words_of(text: str, pieces: Sequence[Span]) -> list[int]:
    """The number of the first word that each piece touches; a piece of space goes to the next."""
    words = [(token.start, token.end) for token in tokens(text) if token.kind != "space"]
    found: list[int] = []
    word = 0
    for start, _ in pieces:
        while word < len(words) - 1 and words[word][1] <= start:
            word += 1
        found.append(word)
    return found


BYTE_PIECES = tuple(f"<0x{value:02X}>" for value in range(256))
_VALUES = {piece: value for value, piece in enumerate(BYTE_PIECES)}


def spell(text: str) -> list[str]:
    """``text`` in UTF-8, one piece per byte."""
    return [BYTE_PIECES[value] for value in text.encode()]


def unspell(pieces: Iterable[str]) -> str:
    """The text of pieces, those of bytes put together; what is no UTF-8 becomes U+FFFD."""
    raw = bytearray()
    for piece in pieces:
        value = _VALUES.get(piece)
        raw.extend(piece.encode() if value is None else (value,))
    return raw.decode("utf-8", errors="replace")


def byte_spans(pieces: Sequence[str]) -> list[Span]:
    """Which characters the pieces stand for; all bytes of a character stand for all of it."""
    found: list[Span] = []
    end = 0
    for piece in pieces:
        value = _VALUES.get(piece)
        continues = value is not None and 0x80 <= value < 0xC0
        start = end - 1 if continues else end
        end = start + (len(piece) if value is None else 1)
        found.append((start, end))
    return found
