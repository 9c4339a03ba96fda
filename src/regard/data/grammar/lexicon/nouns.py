"""Nouns, sorted by what can be done with them, and proper names, which take no article.

``nouns.tsv``: every English noun has one French noun and a plural that differs from its singular,
so a sentence never has two readings.
"""

from typing import NamedTuple

from ..sounds import starts_with_vowel_sound
from .table import Row, groups


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
