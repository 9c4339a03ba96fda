"""One sentence and one translation, as a model learns from them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from regard.data.pairs import Links, TextPair


@runtime_checkable
class WordPair(Protocol):
    """A pair whose words are known, such as one of :mod:`regard.data.grammar`."""

    @property
    def source(self) -> tuple[str, ...]:
        """The words of the source."""

    @property
    def target(self) -> tuple[str, ...]:
        """The words of the target."""

    @property
    def alignment(self) -> Links:
        """Links between them."""

    @property
    def source_text(self) -> str:
        """The source as running text."""

    @property
    def target_text(self) -> str:
        """The target as running text."""


class Example(NamedTuple):
    """A source, a target, and which words belong together."""

    source: str
    target: str
    alignment: Links | None = None
    """Links between words; ``None`` without gold."""
    source_words: tuple[str, ...] | None = None
    """The words that the links count, in the order of the text; ``None``: split at spaces."""
    target_words: tuple[str, ...] | None = None


def from_text(
    pairs: Iterable[TextPair], split: Callable[[str], Sequence[str]] | None = None
) -> Iterator[Example]:
    """One example per reference; the alignment belongs to the first.

    Args:
        pairs: running text.
        split: a text into the words that the alignments count; at spaces if not given.
    """
    for pair in pairs:
        first, *others = pair.references
        words = [
            tuple(split(text)) if split and pair.alignment else None
            for text in (pair.source, first)
        ]
        yield Example(pair.source, first, pair.alignment, *words)
        for other in others:
            yield Example(pair.source, other)


def from_words(pair: WordPair) -> Example:
    """The pair as running text, with its gold alignment."""
    return Example(pair.source_text, pair.target_text, pair.alignment, pair.source, pair.target)
