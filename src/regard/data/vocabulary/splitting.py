"""Words as a reader sees them: split at spaces, punctuation, French elision and clitics.

And where pieces and words stand in a text, which of them touch, and characters spelled in bytes.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import Literal, NamedTuple, TypeVar, cast
from unicodedata import category

from regard.errors import InputError

Kind = Literal["space", "word", "elision", "clitic", "mark"]

_APOSTROPHE = r"['\u2019\u02bc]"
_ELIDED = "(?:jusqu|lorsqu|puisqu|quoiqu|quelqu|presqu|qu|[cdjlmnst])"
_CLITIC = "(?:t-)?(?:ce|elle|elles|en|il|ils|je|la|le|les|leur|lui|là|moi|nous|on|toi|tu|vous|y|ci)"

_CHUNKS = re.compile(r"\s+|\S+")


Answer = TypeVar("Answer")

LONGEST = 100
"""Characters of what is cached: what is longer is no word, and hardly comes again."""


def cache_short(ask: Callable[[str], Answer]) -> Callable[[str], Answer]:
    """A cache of ``ask`` for short texts: words come again."""
    known = lru_cache(maxsize=2**16)(ask)

    def answer(text: str) -> Answer:
        return known(text) if len(text) <= LONGEST else ask(text)

    return answer


class Token(NamedTuple):
    """A stretch of text."""

    text: str
    start: int
    kind: Kind

    @property
    def end(self) -> int:
        """Where the next one starts."""
        return self.start + len(self.text)


def tokens(text: str) -> list[Token]:
    """All of ``text``, space included, so that the tokens in a row are the text again.

    Apart from words and runs of space there are: elided words with their apostrophe (``l'``,
    ``qu'``), what hangs on a word (``'s``, ``-ce``, ``-t-il``), and marks, which are anything else,
    equal ones in a row taken together. Other words with an apostrophe or hyphen inside are whole.
    """
    found: list[Token] = []
    start = 0
    for chunk in _CHUNKS.findall(text):
        for part, kind in _parts(chunk):
            found.append(Token(part, start, kind))
            start += len(part)
    return found


def split(text: str) -> list[str]:
    """The words and marks of ``text``, without space."""
    return [token.text for token in tokens(text) if token.kind != "space"]


@cache_short
def _parts(chunk: str) -> tuple[tuple[str, Kind], ...]:
    """What lies between two spaces, or the space."""
    pattern = _plain_pattern() if _accents().isdisjoint(chunk) else _accented_pattern()
    return tuple([(found[0], cast(Kind, found.lastgroup)) for found in pattern.finditer(chunk)])


@cache
def _plain_pattern() -> re.Pattern[str]:
    return _pattern(r"\w")


@cache
def _accented_pattern() -> re.Pattern[str]:
    """Slower: accents and vowel signs belong to the letter before them."""
    return _pattern(rf"[\w{re.escape(''.join(sorted(_accents())))}]")


@cache
def _accents() -> frozenset[str]:
    return frozenset(c for c in map(chr, range(0x300, 0x20000)) if category(c)[0] == "M")


def _pattern(letter: str) -> re.Pattern[str]:
    apostrophe, hyphen = rf"{_APOSTROPHE}(?!s(?!{letter}))", rf"-(?!{_CLITIC}(?!{letter}))"
    return re.compile(
        rf"(?P<space>\s+)"
        rf"|(?P<elision>(?<!{letter}){_ELIDED}{_APOSTROPHE}(?=\w)(?!s(?!{letter})))"
        rf"|(?P<clitic>(?<={letter})(?:{_APOSTROPHE}s|-{_CLITIC})(?!{letter}))"
        rf"|(?P<word>{letter}+(?:(?:{apostrophe}|{hyphen}){letter}+)*)"
        rf"|(?P<mark>(?P<one>.)(?P=one)*)",
        re.IGNORECASE | re.DOTALL,
    )


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
