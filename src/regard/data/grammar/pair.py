"""A sentence pair with its gold alignment and tags."""

from itertools import pairwise
from typing import NamedTuple

from .elision import contract_and_elide
from .sounds import takes_an
from .text import text
from .words import Word


class Pair(NamedTuple):
    """An English source and its French translation, word by word."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    alignment: frozenset[tuple[int, int]]
    """Links between source and target positions, counted from 0."""
    source_tags: tuple[str, ...]
    target_tags: tuple[str, ...]

    @property
    def source_text(self) -> str:
        """The English sentence as running text."""
        return text(self.source, "en")

    @property
    def target_text(self) -> str:
        """The French sentence as running text."""
        return text(self.target, "fr")


def source_words(words: list[Word], *, sentence: bool) -> list[Word]:
    """English as it is written: *an* before a vowel sound, a capital at the start."""
    written = [
        word._replace(text="an") if word.text == "a" and takes_an(second.text) else word
        for word, second in pairwise(words)
    ]
    return _capitalised([*written, words[-1]]) if sentence else [*written, words[-1]]


def target_words(words: list[Word], *, sentence: bool) -> list[Word]:
    """French as it is written: contracted, elided, a capital at the start."""
    written = contract_and_elide(words)
    return _capitalised(written) if sentence else written


def align(source: list[Word], target: list[Word]) -> Pair:
    """The pair of two word lists; words that share a link are aligned."""
    places: dict[int, list[int]] = {}
    for position, word in enumerate(target):
        for link in word.links:
            places.setdefault(link, []).append(position)
    alignment = frozenset(
        (position, place)
        for position, word in enumerate(source)
        for link in word.links
        for place in places.get(link, ())
    )
    return Pair(
        tuple([word.text for word in source]),
        tuple([word.text for word in target]),
        alignment,
        tuple([word.tag for word in source]),
        tuple([word.tag for word in target]),
    )


def _capitalised(words: list[Word]) -> list[Word]:
    """``words`` with a capital at the start."""
    first = words[0]
    return [first._replace(text=first.text[0].upper() + first.text[1:]), *words[1:]]
