"""Letters and marks as a vocabulary knows them."""

import re

from regard.data.vocabulary import Tokeniser

_WORD = re.compile(r"[^\W\d_]+")
PLAIN = {
    "\u2019": "'",
    "\u2018": "'",
    "\u201c": '"',
    "\u201d": '"',
    "\u2026": "...",
    "\u2013": "-",
    "\u2014": "-",
    "\u00a0": " ",
    "\u202f": " ",
}
"""Marks of typography and those of a keyboard."""


def shouted(text: str) -> bool:
    """Whether a sentence is in capitals."""
    words = _WORD.findall(text)
    return text.isupper() and (sum(len(one) > 1 for one in words) > 1 or max(map(len, words)) > 3)


def whispered(text: str) -> bool:
    """Whether a sentence has no capital at all."""
    return text.islower()


def truecased(word: str, tokeniser: Tokeniser) -> str:
    """A word in small letters, unless the vocabulary knows it with a capital better.

    A vocabulary's tokens come in the order of how frequent they are, about.
    """
    small, large = word.lower(), word.capitalize()
    ids, capital = tokeniser.encode(small), tokeniser.encode(large)
    known = tokeniser.unk in ids, len(ids)
    if (tokeniser.unk in capital, len(capital)) != known:
        return min((known, small), ((tokeniser.unk in capital, len(capital)), large))[1]
    return large if len(ids) == 1 and 2 * capital[0] < ids[0] else small


def plain_marks(text: str, tokeniser: Tokeniser) -> dict[str, str]:
    """Marks of ``text`` that the vocabulary knows better as another."""
    return {
        mark: other
        for mark, other in PLAIN.items()
        if mark in text and _rank(other, tokeniser) <= _rank(mark, tokeniser)
    }


def _rank(mark: str, tokeniser: Tokeniser) -> tuple[bool, int]:
    ids = tokeniser.encode(mark.strip() or "a")
    return tokeniser.unk in ids or len(ids) > 3, ids[-1] if ids else 0
