"""A tokeniser of whole words, reversible to the character."""

from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from typing import Any, ClassVar, Literal

from .splitting import Span, Token, cache_short, tokens
from .tokeniser import Learner, Table, TableTokeniser, frequent, stored_entries

JOINER = "\uffed"
"""The small square on the side of a piece where no space stands."""


class Words(TableTokeniser):
    """One token per word or mark; what is not in the vocabulary is ``unk``.

    Between two pieces stands one space, unless one of them carries a joiner on that side:
    *l'homme.* is ``l'￭``, ``homme``, ``￭.``, so a word has one number wherever it stands. Any other
    space is a piece of its own. Pieces join to the text they came from whatever it holds; numbers
    do so as long as every piece is in the vocabulary.
    """

    kind: ClassVar[str] = "words"

    def __init__(self, entries: Sequence[str]) -> None:
        self.table = Table(entries)

    def pieces(self, text: str) -> list[str]:
        """The words and marks of ``text``, joiners included."""
        chunks = text.split()
        if " ".join(chunks) != text:
            return join_pieces(tokens(text))
        return [piece for chunk in chunks for piece in _pieces(chunk)]

    def text(self, pieces: Sequence[str]) -> str:
        """The text that was cut into ``pieces``."""
        return "".join(_with_spaces(pieces))

    def spans(self, pieces: Sequence[str]) -> list[Span]:
        """Which characters of the text each piece stands for, without the space between."""
        found: list[Span] = []
        end, glued = 0, True
        for left, plain, right in map(_strip_joiners, pieces):
            start = end if glued or left else end + 1
            end, glued = start + len(plain), right
            found.append((start, end))
        return found

    def content(self) -> dict[str, Any]:
        """The entries in their order."""
        return {"entries": list(self.table.entries)}

    @classmethod
    def from_content(cls, content: dict[str, Any]) -> "Words":
        """The tokeniser of stored entries."""
        return cls(stored_entries(content, "entries"))


class WordsLearner(Learner):
    """How a vocabulary of words is learned."""

    kind: Literal["words"] = "words"
    size: int | None = None
    """Entries at most, with the four special ones."""
    min_count: int = 1
    """How often a word must occur."""

    def learn(self, texts: Iterable[str]) -> Words:
        """The most frequent words of ``texts``."""
        pieces = chain.from_iterable(join_pieces(tokens(text)) for text in texts)
        return Words(frequent(pieces, size=self.size, min_count=self.min_count))


def join_pieces(row: Sequence[Token]) -> list[str]:
    """The pieces of a text: single spaces left out, a joiner wherever there is none.

    The joiner sits on the right neighbour unless that is a plain word or an elided one.
    """
    last = len(row) - 1
    kept = [token for i, token in enumerate(row) if token.text != " " or i in (0, last)]
    left = [False] * (len(kept) + 1)
    right = [False] * (len(kept) + 1)
    for place, (before, after) in enumerate(pairwise(kept)):
        if before.end == after.start:
            on_the_right = after.kind not in ("word", "elision")
            left[place + 1], right[place] = on_the_right, not on_the_right
    return [
        JOINER * left[i] + _escape(token.text) + JOINER * right[i] for i, token in enumerate(kept)
    ]


@cache_short
def _pieces(chunk: str) -> tuple[str, ...]:
    """The pieces of what stands between two spaces."""
    return tuple(join_pieces(tokens(chunk)))


def _with_spaces(pieces: Sequence[str]) -> Iterable[str]:
    """What stands before each piece, then the piece, in turns."""
    glued = True
    for left, plain, right in map(_strip_joiners, pieces):
        yield "" if glued or left else " "
        yield plain
        glued = right


@cache_short
def _strip_joiners(piece: str) -> tuple[bool, str, bool]:
    """A piece without joiners, and whether there was one on its left and on its right."""
    left, right = piece.startswith(JOINER), piece.endswith(JOINER)
    return left, _unescape(piece[left : len(piece) - right]), right


def _escape(text: str) -> str:
    """``text`` without a joiner in it."""
    if text.isalnum():
        return text
    return text.replace("\\", "\\\\").replace(JOINER, "\\j")


def _unescape(text: str) -> str:
    """Undoes :func:`_escape`."""
    if "\\" not in text:
        return text
    parts = [part.replace("\\j", JOINER) for part in text.split("\\\\")]
    return "\\".join(parts)
