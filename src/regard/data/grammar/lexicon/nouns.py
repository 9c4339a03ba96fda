"""Nouns, sorted by what can be done with them.

Columns: English singular and plural, French singular and plural, gender. Every English noun has
one French noun and a plural that differs from its singular, so a sentence never has two readings.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ..sounds import starts_with_vowel_sound
from . import living, things
from .table import rows


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


MASS = frozenset({"stuff", "drink"})

_TABLES = {
    "person": living.PERSON,
    "animal": living.ANIMAL,
    "food": things.FOOD,
    "stuff": things.STUFF,
    "drink": things.DRINK,
    "clothes": things.CLOTHES,
    "thing": things.THING,
    "reading": things.READING,
    "opening": things.OPENING,
    "place": things.PLACE,
    "surface": things.SURFACE,
    "vehicle": things.VEHICLE,
    "aspect": things.ASPECT,
    "vessel": things.VESSEL,
}


def _noun(cells: Sequence[str], kind: str) -> Noun:
    """One line of a table."""
    singular, plural, french, french_plural, gender = cells
    vowel = (starts_with_vowel_sound(french), starts_with_vowel_sound(french_plural))
    return Noun((singular, plural), (french, french_plural), gender == "f", kind, vowel)


NOUNS = {kind: tuple(_noun(cells, kind) for cells in rows(t)) for kind, t in _TABLES.items()}
"""Kind to nouns."""

NOUN = {noun.english[0]: noun for nouns in NOUNS.values() for noun in nouns}
"""English singular to noun."""
