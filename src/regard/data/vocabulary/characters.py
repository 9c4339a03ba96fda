"""A tokeniser of single characters."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, ClassVar, Literal

from .splitting import BYTE_PIECES, Span, byte_spans, spell, unspell
from .tokeniser import Fallback, Learner, Table, TableTokeniser, frequent, stored_entries


class Characters(TableTokeniser):
    """One token per character; one that is not in the vocabulary is spelled in bytes, or ``unk``.

    Args:
        characters: the vocabulary.
        fallback: ``"bytes"`` for any text to come back whole; ``"unknown"`` for a smaller
            vocabulary.
    """

    kind: ClassVar[str] = "characters"

    def __init__(self, characters: Sequence[str], *, fallback: Fallback = "bytes") -> None:
        self.characters = tuple(characters)
        self.fallback = fallback
        extra = BYTE_PIECES if fallback == "bytes" else ()
        self.table = Table((*extra, *characters))

    def pieces(self, text: str) -> list[str]:
        """The characters of ``text``, or the bytes of those that are not known."""
        if self.fallback == "unknown":
            return list(text)
        known = self.table.ids
        return [
            piece
            for character in text
            for piece in ((character,) if character in known else spell(character))
        ]

    def text(self, pieces: Sequence[str]) -> str:
        """The pieces in a row."""
        return unspell(pieces)

    def spans(self, pieces: Sequence[str]) -> list[Span]:
        """One character per piece."""
        return byte_spans(pieces)

    def content(self) -> dict[str, Any]:
        """The characters in their order."""
        return {"characters": list(self.characters), "fallback": self.fallback}

    @classmethod
    def from_content(cls, content: dict[str, Any]) -> "Characters":
        """The tokeniser of stored characters."""
        fallback: Fallback = "unknown" if content.get("fallback") == "unknown" else "bytes"
        return cls(stored_entries(content, "characters"), fallback=fallback)


class CharactersLearner(Learner):
    """How a vocabulary of characters is learned."""

    kind: Literal["characters"] = "characters"
    size: int | None = None
    """Characters at most, with the four special entries."""
    min_count: int = 1
    """How often a character must occur."""
    fallback: Fallback = "bytes"
    """What becomes of a character that is not in the vocabulary."""

    def learn(self, texts: Iterable[str]) -> Characters:
        """The most frequent characters of ``texts``."""
        every = frequent(chain.from_iterable(texts), size=self.size, min_count=self.min_count)
        return Characters(every, fallback=self.fallback)
