"""Proper names: people, and cities, which take no article in either language."""

from typing import NamedTuple

from .table import rows


class Name(NamedTuple):
    """One name in both languages."""

    english: str
    french: str
    feminine: bool


_PEOPLE = """
Mary | Marie | f
Peter | Pierre | m
John | Jean | m
Paul | Paul | m
Anna | Anna | f
Alice | Alice | f
Emma | Emma | f
Louis | Louis | m
Julia | Julie | f
Lucy | Lucie | f
Mark | Marc | m
Andrew | André | m
Sophie | Sophie | f
Martin | Martin | m
"""

_CITIES = """
Paris | Paris | m
London | Londres | m
Rome | Rome | f
Athens | Athènes | f
Brussels | Bruxelles | f
Lisbon | Lisbonne | f
Amsterdam | Amsterdam | m
Geneva | Genève | f
"""

PEOPLE = tuple(Name(english, french, gender == "f") for english, french, gender in rows(_PEOPLE))
CITIES = tuple(Name(english, french, gender == "f") for english, french, gender in rows(_CITIES))
