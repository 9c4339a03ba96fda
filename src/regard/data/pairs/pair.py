"""A sentence with its translations, and where it was read."""

from typing import NamedTuple

from ..composition import composed

Links = frozenset[tuple[int, int]]
"""Source and target words that belong together, counted from 0."""


class Place(NamedTuple):
    """A line of a file, for messages."""

    file: str
    line: int
    """Counted from 1."""

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}"


class TextPair(NamedTuple):
    """A sentence and its translations as running text."""

    source: str
    references: tuple[str, ...]
    """Translations, the best or only one first."""
    alignment: Links | None
    """Links between the words of the source and of the first reference, split at spaces unless
    whoever read them split otherwise; ``None`` without gold."""
    place: Place

    @property
    def target(self) -> str:
        """The first reference."""
        return self.references[0]


def cleaned(text: str) -> str:
    """``text`` in composed form (NFC), without space around it."""
    return composed(text).strip()
