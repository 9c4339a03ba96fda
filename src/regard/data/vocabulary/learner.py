"""How a tokeniser is learned from text."""

from abc import abstractmethod
from collections.abc import Iterable
from typing import Literal

from regard.config import Config

from .tokeniser import Tokeniser

Fallback = Literal["bytes", "unknown"]
"""What is not in the vocabulary: spelled in bytes, or one token for all of it."""


class Learner(Config):
    """The settings of one kind of tokeniser."""

    @abstractmethod
    def learn(self, texts: Iterable[str]) -> Tokeniser:
        """The tokeniser of ``texts``, the same one for the same texts.

        Raises:
            InputError: there is nothing to learn from.
        """
