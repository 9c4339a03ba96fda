"""A line as a translator reads it: clean, in tokens, not too long."""

import re
from typing import NamedTuple

from regard.data.composition import composed
from regard.data.vocabulary import Tokeniser

from .extension import Extension

_SURROGATE = re.compile("[\ud800-\udfff]")
_BREAK = re.compile("[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")


def cleaned(text: str) -> str:
    """``text`` on one line, in composed form (NFC), without space around it.

    Halves of surrogate pairs, which are no characters, become U+FFFD, and so does NUL.
    """
    whole = _SURROGATE.sub("\ufffd", text).replace("\0", "\ufffd")
    return one_line(composed(whole)).strip()


def one_line(text: str) -> str:
    """``text`` with spaces where lines would end."""
    return _BREAK.sub(" ", text)


class Source(NamedTuple):
    """A sentence as the model reads it."""

    text: str
    """As far as it is read."""
    pieces: list[str]
    ids: list[int]
    cut: int
    """Tokens that were left out."""
    extension: Extension
    """Its words that the vocabulary lacks, as far as they can be copied."""


def read_source(text: str, tokeniser: Tokeniser, *, longest: int, extension: int) -> Source:
    """A line in tokens.

    Args:
        text: as it was typed.
        tokeniser: what cuts it.
        longest: tokens that are read.
        extension: words that the vocabulary lacks and that can be copied, at most.
    """
    text = cleaned(text)
    pieces = tokeniser.pieces(text) if text else []
    kept = pieces[:longest]
    if len(kept) < len(pieces):
        text = tokeniser.text(kept)
    known = Extension(tokeniser, extension)
    return Source(text, kept, known.read(kept), len(pieces) - len(kept), known)
