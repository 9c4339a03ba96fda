"""Every different word of some texts: what it looks like, and what it has in common with others."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regard.data.annotated import LabelCodec
from regard.data.batches.pools import Positions, Ragged, RaggedBuilder

ENDINGS = ("ingly", "edly", "ings", "ing", "edly", "ed", "ies", "es", "ly", "s", "e", "y")
LEAST_STEM = 3
"""Letters that are left at least."""
_YEAR = re.compile(r"(1[0-9]|20)\d\d")


class Lexicon(NamedTuple):
    """Words by their numbers; number 0 is no word."""

    lower: Positions
    """The same number for all that are one in lower case."""
    stem: Positions
    """The same number for all that are one without their endings."""
    rarity: NDArray[np.float32]
    """From 0 for the commonest word to 1 for those that are not in the vocabulary."""
    shape: NDArray[np.float32]
    """(words, 5): capital, capitals, digit, year, mark."""
    spelled: Ragged | None
    """The characters of each, from few to many; ``None`` where words are not spelled."""


class Words:
    """Numbers for words, by how many characters they are spelled with: as they are read together.

    Args:
        codec: vocabulary and characters.
        texts: texts in words.
    """

    def __init__(self, codec: LabelCodec, texts: Iterable[Iterable[str]]) -> None:
        self.codec = codec
        found = {word for text in texts for word in text}
        self.words = sorted(found, key=lambda word: (len(self._spelled(word)), word))
        self.numbers = {word: number for number, word in enumerate(self.words, start=1)}

    def of(self, words: Iterable[str]) -> Iterator[int]:
        """The numbers of words."""
        return (self.numbers[word] for word in words)

    def lexicon(self) -> Lexicon:
        """What is known of each."""
        ids = np.array([0, *self.codec.tokens.ids(self.words)])
        size = len(self.codec.tokens)
        # Entries come in the order of their frequency, which falls with the rank.
        rarity = np.where(ids == self.codec.tokens.unk, 1.0, np.log1p(ids) / np.log1p(size))
        shapes = [(0.0,) * 5, *map(shape_of, self.words)]
        return Lexicon(
            _alike(word.lower() for word in self.words),
            _alike(stem_of(word) for word in self.words),
            rarity.astype(np.float32),
            np.array(shapes, dtype=np.float32),
            self._characters(),
        )

    def _spelled(self, word: str) -> list[int]:
        return [] if self.codec.characters is None else self.codec.spelled(word)

    def _characters(self) -> Ragged | None:
        if self.codec.characters is None:
            return None
        builder = RaggedBuilder()
        builder.add(())
        for word in self.words:
            builder.add(self._spelled(word))
        return builder.built()


def stem_of(word: str) -> str:
    """A word in lower case without its ending: *invaded*, *invades* and *invading* are one.

    Rough, and meant to be: what counts is that forms of a word that stand in a question and in its
    passage meet.
    """
    plain = word.lower()
    for ending in ENDINGS:
        if plain.endswith(ending) and len(plain) - len(ending) >= LEAST_STEM:
            plain = plain.removesuffix(ending)
            break
    plain = plain.removesuffix("e").removesuffix("i") if len(plain) > LEAST_STEM else plain
    return plain[:-1] if len(plain) > LEAST_STEM and plain[-1] == plain[-2] else plain


def shape_of(word: str) -> tuple[float, float, float, float, float]:
    """Whether it begins with a capital, has nothing else, has a digit, is a year, is no word."""
    return (
        float(word[:1].isupper()),
        float(len(word) > 1 and word.isupper()),
        float(any(letter.isdigit() for letter in word)),
        float(_YEAR.fullmatch(word) is not None),
        float(not any(letter.isalnum() for letter in word)),
    )


def _alike(forms: Iterable[str]) -> Positions:
    """The same number for the same form; 0 for no word."""
    known: dict[str, int] = {}
    numbers = [known.setdefault(form, len(known) + 1) for form in forms]
    return np.array([0, *numbers], dtype=np.int64)
