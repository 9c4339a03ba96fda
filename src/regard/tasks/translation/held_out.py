"""Pairs that are never trained on, to measure by."""

from typing import NamedTuple

from regard.data.pairs import Links


class HeldOut(NamedTuple):
    """A sentence with all its translations."""

    source: str
    references: tuple[str, ...]
    """The first is the one that the alignment is about, and that a model is made to read."""
    alignment: Links | None = None
    """Gold links between words; ``None`` without."""
    source_words: tuple[str, ...] | None = None
    """The words that the links count; ``None``: split at spaces."""
    target_words: tuple[str, ...] | None = None
