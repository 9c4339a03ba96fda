"""Word alignments as token alignments, and back."""

from collections.abc import Sequence
from typing import NamedTuple

from .pairs import Links
from .vocabulary import Span, Tokeniser, touching, word_spans


class Side(NamedTuple):
    """A text in tokens and in words."""

    pieces: list[Span]
    words: list[Span]
    """With the space before each, since a token of space belongs to the word behind it; without,
    where tokens are words."""

    @property
    def touching(self) -> list[range]:
        """For every word its tokens."""
        return touching(self.pieces, self.words)


def side(tokeniser: Tokeniser, text: str, words: Sequence[str] | None = None) -> Side:
    """Where the tokens and the words of ``text`` stand; without ``words``, split at spaces."""
    return side_of(tokeniser.spans(tokeniser.pieces(text)), text, words)


def side_of(pieces: list[Span], text: str, words: Sequence[str] | None) -> Side:
    """The side of a text whose tokens are known."""
    bare = word_spans(text, words)
    if bare == pieces:
        return Side(pieces, bare)
    spaced: list[Span] = []
    for start, end in bare:
        while start and text[start - 1].isspace():
            start -= 1
        spaced.append((start, end))
    return Side(pieces, spaced)


def to_tokens(links: Links, *, source: Side, target: Side) -> list[tuple[int, int]]:
    """Links (target token, source token): all tokens of linked words are linked."""
    here, there = source.touching, target.touching
    found = {(t, s) for i, j in links for s in here[i] for t in there[j]}
    return sorted(found)
