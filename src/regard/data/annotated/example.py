"""A text with what was annotated of it."""

from typing import NamedTuple

from ..pairs.lines import Place


class Example(NamedTuple):
    """A sentence with a label for every word, or a text with one label."""

    text: str
    """As it is written, or its words with spaces between."""
    labels: tuple[str, ...]
    """One for each word, or one for all of it."""
    words: tuple[str, ...] | None = None
    """Its words, where the annotation says which they are."""
    place: Place | None = None
    """Where it was read."""
    also: tuple[tuple[str, ...], ...] = ()
    """What else is annotated, kind by kind, each with as many labels as ``labels``."""

    @property
    def content(self) -> "str | tuple[str, ...]":
        """What a codec encodes: words where they are known, otherwise the text."""
        return self.text if self.words is None else self.words
