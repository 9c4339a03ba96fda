"""Our own grammar as a source of pairs: endless, with gold alignments, no download."""

from collections import Counter
from collections.abc import Iterable
from functools import cached_property, partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from regard.data.grammar import Pair, examples, verb_forms
from regard.data.sources import GrammarSource
from regard.data.vocabulary import Vocabularies

from .config import Data
from .example import Example, HeldOut, from_words

if TYPE_CHECKING:
    from regard.data.batches import Pools

    from .corpus import Batch

POOL = 2048
"""Pairs that are sorted by length together."""


class GrammarData(GrammarSource, Data):
    """English to French, by :mod:`regard.data.grammar`."""

    kind: Literal["grammar"] = "grammar"
    max_words: int = Field(default=10, ge=5, le=60)
    """The most English tokens of a pair, punctuation counted."""
    valid_size: int = Field(default=2000, ge=1)
    """Pairs to validate on."""
    vocabulary_pairs: int = Field(default=10_000, ge=1)
    """Pairs that vocabularies are learned from, beside all forms of all verbs; by then the grammar
    has used every other word."""
    rarest_of: int = Field(default=1, ge=1)
    """Every second pair that is learned from is, of so many drawn, the one with the rarest French
    word: of most verbs, most forms hardly ever come."""

    def texts(self) -> Iterable[Example]:
        """The forms of all verbs, and the first pairs."""
        forms = (Example(english, french) for english, french in verb_forms())
        return chain(forms, map(from_words, islice(self._train, self.vocabulary_pairs)))

    def pools(
        self, vocabularies: Vocabularies, *, longest: int | None = None, extension: int = 0
    ) -> "Pools[Batch]":
        """All of them: none is long."""
        from regard.data.batches import EndlessPools

        from .corpus import encode

        name = f"{self._train!r}, rarest of {self.rarest_of}"
        encoded = partial(encode, vocabularies=vocabularies, extension=extension)
        return EndlessPools(self._example, encoded, name=name, size=POOL)

    def held_out(self) -> list[HeldOut]:
        """Pairs of the split ``valid``."""
        return list(map(_held_out, self.valid_pairs(self.valid_size)))

    def samples(self) -> list[HeldOut]:
        """The three pairs everybody knows."""
        return [_held_out(pair) for pair in examples()]

    @property
    def about_samples(self) -> str:
        """Their English decides the split, whatever the seed: they are of ``train``."""
        return "sentences that the grammar trains on"

    @property
    def name(self) -> str:
        """What decides the pairs."""
        size = f"up to {self.max_words} words, seed {self.seed}"
        return f"regard's own English-French grammar, {size}"

    @cached_property
    def _counts(self) -> Counter[str]:
        """How often French words come in the first pairs."""
        first = islice(self._train, self.vocabulary_pairs)
        return Counter(word for pair in first for word in pair.target)

    def _example(self, number: int) -> Example:
        if self.rarest_of == 1:  # nothing to choose from, so nothing to count
            return from_words(self._train[number])
        first = number // 2 * (1 + self.rarest_of)
        if number % 2 == 0:
            return from_words(self._train[first])
        drawn = (self._train[first + each] for each in range(1, 1 + self.rarest_of))
        return from_words(min(drawn, key=self._commonness))

    def _commonness(self, pair: Pair) -> int:
        """How often its rarest word comes."""
        return min(self._counts[word] for word in pair.target)


def _held_out(pair: Pair) -> HeldOut:
    references = (pair.target_text,)
    return HeldOut(pair.source_text, references, pair.alignment, pair.source, pair.target)
