"""Answers about words, kept, because words come again."""

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

Answer = TypeVar("Answer")

LONGEST = 100
"""Characters of what is kept: what is longer is no word, and hardly comes again."""


def remembered(ask: Callable[[str], Answer]) -> Callable[[str], Answer]:
    """``ask``, which answers at once about short texts that it was asked about lately."""
    known = lru_cache(maxsize=2**16)(ask)

    def answer(text: str) -> Answer:
        return known(text) if len(text) <= LONGEST else ask(text)

    return answer
