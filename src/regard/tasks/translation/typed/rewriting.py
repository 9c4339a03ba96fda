"""Normalised text that keeps track of spans: case, punctuation, replaced items.

Its letters and marks become those that a vocabulary knows.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch

from regard.data.vocabulary import Span, Tokeniser
from regard.types import Float, Tensor

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


class Part(NamedTuple):
    """Where a part stands in the original, and what became of it."""

    span: Span
    text: str


class Rewriting(NamedTuple):
    """All of the original in order; what was put in has an empty span."""

    original: str
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """What became of it."""
        return "".join(part.text for part in self.parts)

    def overlaps(self, before: Sequence[Span], after: Sequence[Span]) -> Float[Tensor, "A B"]:
        """1 where a word of the new text came from a word of the original.

        Args:
            before: words of the original.
            after: words of what became of it.
        """
        found = torch.zeros(len(after), len(before), dtype=torch.float64)
        start = 0
        for (first, last), text in self.parts:
            end = start + len(text)
            same = self.original[first:last] == text
            for row, (left, right) in enumerate(after):
                left, right = max(left, start), min(right, end)
                if left >= right:
                    continue
                source = (first + left - start, first + right - start) if same else (first, last)
                for column, (one, other) in enumerate(before):
                    if one < source[1] and source[0] < other:
                        found[row, column] = 1
            start = end
        return found


def rewritten(original: str, changes: Iterable[tuple[Span, str]]) -> Rewriting:
    """The original with some spans of it replaced; they do not overlap."""
    parts: list[Part] = []
    place = 0
    for (start, end), text in sorted(changes):
        if start > place:
            parts.append(Part((place, start), original[place:start]))
        parts.append(Part((start, end), text))
        place = end
    if place < len(original):
        parts.append(Part((place, len(original)), original[place:]))
    return Rewriting(original, tuple(parts))
