"""Words as a reader sees them: split at spaces, punctuation, French elision and clitics."""

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Literal, NamedTuple, TypeVar, cast
from unicodedata import category

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
