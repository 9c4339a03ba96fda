"""Small words: adverbs, numbers, prepositions, conjunctions, questions, idioms with *avoir*."""

from typing import NamedTuple

from .table import Row, groups
from .verbs import Tense


class Particle(NamedTuple):
    """One word that never changes, in both languages."""

    english: str
    french: str


class Preposition(NamedTuple):
    """Words of English and words of French that say one place."""

    english: tuple[str, ...]
    french: tuple[str, ...]
    kinds: tuple[str, ...]


class Connector(NamedTuple):
    """What joins two clauses, and the tenses it asks for."""

    english: tuple[str, ...]
    french: tuple[str, ...]
    tag: str
    after: frozenset[Tense] | None
    """Tenses the clause before may have; None for all."""
    before: tuple[Tense, ...] | None
    """Tenses the clause that follows may have; None for all."""
    negatable: bool


_GROUPS = groups("particles")


def _words(group: str) -> tuple[Particle, ...]:
    return tuple(Particle(row["english"], row["french"]) for row in _GROUPS[group])


def _preposition(row: Row) -> Preposition:
    english, french, kinds = (tuple(row[name].split()) for name in ("english", "french", "kinds"))
    return Preposition(english, french, kinds)


FREQUENCY = _words("frequency")
UNDER_NEGATION = FREQUENCY[:2]
MANNER = _words("manner")
DEGREE = _words("degree")

_PRESENT = (Tense.PRESENT, Tense.PROGRESSIVE)
_FUTURE = (Tense.FUTURE, Tense.GOING)

TIME = {
    **dict.fromkeys(_PRESENT, _words("present")),
    **dict.fromkeys(_FUTURE, _words("future")),
    Tense.PAST: _words("past"),
}

PLACES = tuple(_preposition(row) for row in _GROUPS["place"])

_SCONJ, _CCONJ, _PUNCT, _ADV = "SCONJ", "CCONJ", "PUNCT", "ADV"

CONNECTORS = (
    Connector(("and",), ("et",), _CCONJ, None, None, True),
    Connector((",", "but"), (",", "mais"), _CCONJ, None, None, True),
    Connector(("because",), ("parce", "que"), _SCONJ, None, None, True),
    Connector((",", "so"), (",", "donc"), _ADV, None, None, True),
    Connector((";",), (";",), _PUNCT, None, None, True),
    Connector(("while",), ("pendant", "que"), _SCONJ, frozenset(_PRESENT), _PRESENT, False),
    Connector(("when",), ("quand",), _SCONJ, frozenset({Tense.PAST}), (Tense.PAST,), False),
    Connector(("if",), ("si",), _SCONJ, frozenset(_FUTURE), (Tense.PRESENT,), True),
)

AVOIR_STATES = _words("avoir")
WEATHER_STATES = _words("weather")
QUESTIONS = _words("question")

NUMBERS = _words("number")
"""Cardinal numbers from two on; none of them agrees with its noun."""
AGES = NUMBERS[2:]
