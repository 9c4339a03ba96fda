"""A source as a translator reads it: clean, in tokens, not too long; and words that only it has.

These have numbers behind those of the vocabulary, for models that copy: See et al. 2017, section
2.2 (https://arxiv.org/abs/1704.04368).
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from regard.data.pairs.lines import composed
from regard.data.vocabulary import Characters, Tokeniser


class Extension:
    """The unknown words of one source, numbered in the order in which they come.

    Args:
        tokeniser: of both sides; its unknown words get the numbers behind its last.
        most: how many of them; further ones stay unknown.
    """

    def __init__(self, tokeniser: Tokeniser, most: int) -> None:
        self.tokeniser, self.most = tokeniser, most
        self.words: list[str] = []

    def read(self, pieces: Sequence[str]) -> list[int]:
        """Numbers of a source, whose unknown words are known from now on."""
        ids = self.tokeniser.ids(pieces)
        if not self.most:
            return ids
        for piece, number in zip(pieces, ids, strict=True):
            room = len(self.words) < self.most
            if number == self.tokeniser.unk and room and piece not in self.words:
                self.words.append(piece)
        return self.numbers(pieces)

    def numbers(self, pieces: Sequence[str]) -> list[int]:
        """Numbers of a target, or of anything."""
        known = {word: len(self.tokeniser) + k for k, word in enumerate(self.words)}
        unk = self.tokeniser.unk
        ids = zip(pieces, self.tokeniser.ids(pieces), strict=True)
        return [known.get(piece, unk) if number == unk else number for piece, number in ids]

    def pieces_of(self, ids: Iterable[int]) -> list[str]:
        """The pieces of tokens, copied ones too."""
        found: list[str] = []
        for number in ids:
            copied = number - len(self.tokeniser)
            found += [self.words[copied]] if copied >= 0 else self.tokeniser.pieces_of([number])
        return found


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


def in_known_letters(text: str, tokeniser: Tokeniser) -> str:
    """``text`` with letters that a vocabulary of characters has, where it has one like them.

    A model that was trained on small letters reads *Café* as *cafe*.
    """
    if not isinstance(tokeniser, Characters):
        return text
    known = frozenset(tokeniser.characters)
    return "".join(_known_letter(letter, known) for letter in text)


def _known_letter(letter: str, known: frozenset[str]) -> str:
    bare = unicodedata.normalize("NFD", letter)[0]
    ways = (letter, letter.lower(), letter.upper(), bare, bare.lower(), bare.upper())
    return next((way for way in ways if way in known), letter)


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
    text = in_known_letters(cleaned(text), tokeniser)
    pieces = tokeniser.pieces(text) if text else []
    kept = pieces[:longest]
    if len(kept) < len(pieces):
        text = tokeniser.text(kept)
    known = Extension(tokeniser, extension)
    return Source(text, kept, known.read(kept), len(pieces) - len(kept), known)
