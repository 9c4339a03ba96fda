"""Nouns by what can be done with them, proper names, which take no article, and adjectives.

``nouns.tsv``: every English noun has one French noun and a plural that differs from its singular,
so a sentence never has two readings.

``adjectives.tsv``, by their place in French, before the noun or after it: the comparative is
empty for *more …*, ``very`` where only degrees are said, ``x`` where neither is; three adjectives
have a masculine form before a vowel sound.
"""

from typing import NamedTuple

from ..words import starts_with_vowel_sound
from .table import Row, groups, rows


class Noun(NamedTuple):
    """One noun in both languages; mass nouns have no plural of their own."""

    english: tuple[str, str]
    french: tuple[str, str]
    feminine: bool
    kind: str
    vowel: tuple[bool, bool]
    """Whether the French singular and plural start with a vowel sound."""

    @property
    def mass(self) -> bool:
        """Whether it is a stuff, measured and not counted."""
        return self.kind in MASS


class Name(NamedTuple):
    """One proper name in both languages."""

    english: str
    french: str
    feminine: bool


MASS = frozenset({"stuff", "drink"})


def _noun(row: Row) -> Noun:
    french = (row["french"], row["french_plural"])
    vowel = (starts_with_vowel_sound(french[0]), starts_with_vowel_sound(french[1]))
    return Noun((row["english"], row["plural"]), french, row["gender"] == "f", row["kind"], vowel)


NOUNS = {kind: tuple(_noun(row) for row in rows) for kind, rows in groups("nouns").items()}
"""Kind to nouns."""

NOUN = {noun.english[0]: noun for nouns in NOUNS.values() for noun in nouns}
"""English singular to noun."""

_NAMES = {
    group: tuple(Name(row["english"], row["french"], row["gender"] == "f") for row in rows)
    for group, rows in groups("names").items()
}
PEOPLE, CITIES = _NAMES["person"], _NAMES["city"]


class Adjective(NamedTuple):
    """One adjective in both languages."""

    english: str
    comparative: str | None
    """The English one-word comparative, ``""`` where *more* makes it, None where there is none."""
    french: tuple[str, str, str, str]
    """Masculine, feminine, masculine plural, feminine plural."""
    before_vowel: str
    """The masculine singular in front of a vowel sound: *bel*."""
    vowel: bool
    kinds: frozenset[str]
    precedes: bool
    """Whether French puts it before the noun."""
    gradable: bool
    """Whether one says *very* before it."""

    def form(self, *, feminine: bool, plural: bool) -> str:
        """The French form that agrees."""
        return self.french[2 * plural + feminine]


_COMPARATIVES = {"very": None, "x": None}


def _adjective(row: Row) -> Adjective:
    masculine, comparative = row["masculine"], row["comparative"]
    return Adjective(
        english=row["english"],
        comparative=_COMPARATIVES.get(comparative, comparative),
        french=(masculine, row["feminine"], row["masculine_plural"], row["feminine_plural"]),
        before_vowel=row["before_vowel"] or masculine,
        vowel=starts_with_vowel_sound(masculine),
        kinds=frozenset(row["kinds"].split()),
        precedes=row["place"] == "before",
        gradable=comparative != "x",
    )


ADJECTIVES = tuple(_adjective(row) for row in rows("adjectives"))

ADJECTIVE = {adjective.english: adjective for adjective in ADJECTIVES}
"""English to adjective."""

# First, second, last and other tell things apart: they follow "the", and nothing is "very last".
RANKS = frozenset({"first", "second", "last", "other"})
_KINDS = sorted({kind for adjective in ADJECTIVES for kind in adjective.kinds})


def _fitting(kind: str, *, precedes: bool) -> tuple[Adjective, ...]:
    """Adjectives that describe nouns of ``kind``, without the ranks."""
    fitting = (a for a in ADJECTIVES if a.precedes is precedes and kind in a.kinds)
    return tuple(a for a in fitting if a.english not in RANKS)


BEFORE = {kind: _fitting(kind, precedes=True) for kind in _KINDS}
AFTER = {kind: _fitting(kind, precedes=False) for kind in _KINDS}
RANKING = tuple(ADJECTIVE[name] for name in sorted(RANKS))
PREDICATES = {
    kind: tuple(a for a in BEFORE[kind] + AFTER[kind] if a.english != "new") for kind in _KINDS
}
"""What can follow *is*; *new* has no good translation there."""
COMPARED = {
    kind: tuple(a for a in PREDICATES[kind] if a.comparative is not None) for kind in _KINDS
}
