"""Pairs as a model learns from them and is measured by; and phrases out of aligned ones.

A translator that has read whole sentences only makes a sentence of everything. Phrases teach it
that *red dress* is *robe rouge* and no more.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random
from typing import NamedTuple, Protocol, runtime_checkable

from regard.data.pairs import Links, TextPair
from regard.data.vocabulary import word_spans


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


SHORTEST, LONGEST = 2, 5
"""Source words of a phrase: one alone means too many things."""
HANGING = ("'", "\u2019", "-")
"""What words begin or end with that hang on others."""


class Phrase(NamedTuple):
    """Words of both sides, from the first to behind the last."""

    source: range
    target: range


def phrases(links: Links, words: int) -> Iterator[Phrase]:
    """All phrases that links agree with: no word inside is linked to one outside.

    The target is no longer than its links ask for. Och and Ney 2004, Eq. 8
    (https://aclanthology.org/J04-4002).

    Args:
        links: between the words of a pair.
        words: number of source words.
    """
    for start in range(words):
        for end in range(start + SHORTEST, min(start + LONGEST, words) + 1):
            inside = [j for i, j in links if start <= i < end]
            if not inside:
                continue
            target = range(min(inside), max(inside) + 1)
            if all(start <= i < end for i, j in links if j in target):
                yield Phrase(range(start, end), target)


def with_phrases(examples: Iterable[Example], share: float, *, seed: int = 0) -> Iterator[Example]:
    """``examples``, a share of the aligned ones followed by one of its phrases.

    A phrase is of words only, without marks, and shorter than its sentence. The same come with
    every call.

    Args:
        examples: pairs.
        share: probability with which a pair has a phrase taken out.
        seed: another one, other phrases.
    """
    random = Random(seed)
    for example in examples:
        yield example
        if share and example.alignment and random.random() < share:
            yield from _some_phrase(example, random)


class _Side(NamedTuple):
    text: str
    words: tuple[str, ...]

    def whole(self, part: range) -> bool:
        """Whether a part is of words only, and nothing is torn from them at its ends."""
        words = [self.words[place] for place in part]
        torn = words[0].startswith(HANGING) or words[-1].endswith(HANGING)
        return all(map(_is_word, words)) and not torn

    def cut(self, part: range) -> "_Side":
        """The words of a part, as they stand in the text."""
        spans = word_spans(self.text, self.words)
        return _Side(
            self.text[spans[part[0]][0] : spans[part[-1]][1]], self.words[part.start : part.stop]
        )


def _is_word(text: str) -> bool:
    return any(map(str.isalnum, text))


def _some_phrase(example: Example, random: Random) -> Iterator[Example]:
    """One of its phrases, any as likely as the others; none if there is none."""
    links = example.alignment or frozenset()
    source = _Side(example.source, example.source_words or tuple(example.source.split()))
    target = _Side(example.target, example.target_words or tuple(example.target.split()))
    found = [
        phrase
        for phrase in phrases(links, len(source.words))
        if len(phrase.source) < len(source.words)
        and source.whole(phrase.source)
        and target.whole(phrase.target)
    ]
    if not found:
        return
    here, there = random.choice(found)
    kept = frozenset((i - here[0], j - there[0]) for i, j in links if i in here)
    (text, words), (translation, translated) = source.cut(here), target.cut(there)
    yield Example(text, translation, kept, words, translated)
