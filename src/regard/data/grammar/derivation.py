"""One derivation of the grammar: its random choices, its links, and whom it says *you* to."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from .words import Agreement

Option = TypeVar("Option")

FAMILIAR = Agreement(person=1, feminine=False, plural=False)
"""*You* as *tu*: what it is unless the sentence addresses somebody as *vous*."""


class Derivation:
    """The choices of one sentence pair.

    Args:
        random: where choices come from; the same state gives the same sentence.
    """

    __slots__ = ("_links", "_random", "addressee", "nested")

    def __init__(self, random: Random) -> None:
        self._random = random.random
        self._links = 0
        self.addressee = FAMILIAR
        self.nested = False

    def link(self) -> int:
        """A fresh link, for the words of one meaning."""
        self._links += 1
        return self._links

    def pick(self, options: Sequence[Option]) -> Option:
        """One of ``options``, all equally likely."""
        return options[int(self._random() * len(options))]

    def chance(self, probability: float) -> bool:
        """True with ``probability``."""
        return self._random() < probability

    def weighted(self, options: Sequence[tuple[float, Option]]) -> Option:
        """One of ``options``, each with the cumulative probability up to it; the last is 1."""
        draw = self._random()
        for bound, option in options:
            if draw < bound:
                return option
        return options[-1][1]
