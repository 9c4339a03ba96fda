"""Which tokens a translator reads and writes."""

from typing import Literal

from pydantic import Field

from regard.config import Config
from regard.data.vocabulary import Learner, Vocabularies, learn_both, learner

from .config import Data

Level = Literal["bpe", "unigram", "words", "characters"]


class VocabularyConfig(Config):
    """How the tokens of both languages are found."""

    level: Level = "bpe"
    """Kind of tokens: parts of words by sentencepiece, whole words, or characters."""
    source: Level | None = None
    """The same of the source alone, where it is another."""
    target: Level | None = None
    """The same of the target alone, where it is another."""
    size: int = Field(default=8000, ge=8)
    """Number of tokens at most."""
    sharing: Literal["joint", "separate"] = "joint"
    """One vocabulary for both languages, or one each, as there is where they are of two kinds."""
    fallback: Literal["bytes", "unknown"] = "bytes"
    """What becomes of characters that were never seen; parts of words only."""

    extension: int = Field(default=0, ge=0)
    """Words of a source that the vocabulary lacks and that have numbers of their own, for a model
    with a ``copying.extension`` as large."""

    @property
    def levels(self) -> tuple[Level, Level]:
        """The kinds of source and target."""
        return self.source or self.level, self.target or self.level

    def learn(self, data: Data) -> Vocabularies:
        """The vocabularies of ``data``.

        Raises:
            InputError: bad data, or nothing to learn from.
        """
        here, there = map(self._learner, self.levels)
        sources = (example.source for example in data.texts())
        targets = (example.target for example in data.texts())
        if here == there:
            return learn_both(here, sources=sources, targets=targets, sharing=self.sharing)
        return Vocabularies(here.learn(sources), there.learn(targets))

    def _learner(self, level: Level) -> Learner:
        settings: dict[str, object] = {"size": self.size}
        if level in ("bpe", "unigram"):
            settings["fallback"] = self.fallback
        return learner(level, **settings)
