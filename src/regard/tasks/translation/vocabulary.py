"""Which tokens a translator reads and writes."""

from typing import Literal

from pydantic import Field

from regard.config import Config
from regard.data.vocabulary import Learner, Vocabularies, learn_both, learner

from .config import Data


class VocabularyConfig(Config):
    """How the tokens of both languages are found."""

    level: Literal["bpe", "unigram", "words", "characters"] = "bpe"
    """Kind of tokens: parts of words by sentencepiece, whole words, or characters."""
    size: int = Field(default=8000, ge=8)
    """Number of tokens at most."""
    sharing: Literal["joint", "separate"] = "joint"
    """One vocabulary for both languages, or one each."""
    fallback: Literal["bytes", "unknown"] = "bytes"
    """What becomes of characters that were never seen; parts of words only."""

    def learn(self, data: Data) -> Vocabularies:
        """The vocabularies of ``data``.

        Raises:
            InputError: bad data, or nothing to learn from.
        """
        return learn_both(
            self._learner(),
            sources=(example.source for example in data.texts()),
            targets=(example.target for example in data.texts()),
            sharing=self.sharing,
        )

    def _learner(self) -> Learner:
        settings: dict[str, object] = {"size": self.size}
        if self.level in ("bpe", "unigram"):
            settings["fallback"] = self.fallback
        return learner(self.level, **settings)
