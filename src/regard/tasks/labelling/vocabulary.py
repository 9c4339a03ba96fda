"""Which tokens a tagger or a classifier reads."""

from collections.abc import Iterable
from itertools import chain
from typing import Literal

from pydantic import Field

from regard.config import Config
from regard.data.annotated import Example, LabelCodec
from regard.data.vocabulary import Characters, CharactersLearner, Tokeniser, learner
from regard.data.vocabulary.plain_words import Case, PlainWordsLearner, Splitting, cut


class VocabularyConfig(Config):
    """How tokens are found."""

    level: Literal["words", "bpe", "unigram", "characters"] = "words"
    """Kind of tokens: whole words, parts of words by sentencepiece, or characters."""
    size: int = Field(default=30_000, ge=8)
    """Number of tokens at most."""
    min_count: int = Field(default=2, ge=1)
    """How often a word must come to have a vector of its own."""
    splitting: Splitting = "words"
    """Where running text is cut: into words and marks, as English treebanks do, or at spaces."""
    case: Case = "lower"
    """Whether words are looked up in lower case, or as they are written."""
    spelled: bool = False
    """Whether the characters of words are read beside them."""

    def learn(self, examples: Iterable[Example], labels: tuple[str, ...]) -> LabelCodec:
        """The codec of some texts.

        Raises:
            InputError: there is nothing to learn from.
        """
        read = list(examples)
        characters = self._characters(read) if self.spelled and self.level == "words" else None
        return LabelCodec(self._tokens(read), labels, characters)

    def _tokens(self, examples: list[Example]) -> Tokeniser:
        if self.level == "words":
            words = PlainWordsLearner(
                size=self.size, min_count=self.min_count, splitting=self.splitting, case=self.case
            )
            return words.learn_words(self._words(one) for one in examples)
        return learner(self.level, size=self.size).learn(one.text for one in examples)

    def _characters(self, examples: list[Example]) -> Characters:
        words = chain.from_iterable(self._words(one) for one in examples)
        return CharactersLearner(min_count=self.min_count, fallback="unknown").learn(words)

    def _words(self, one: Example) -> list[str]:
        return list(one.words) if one.words is not None else cut(one.text, self.splitting)
