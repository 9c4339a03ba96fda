"""Small words: adverbs, prepositions, conjunctions, question words, and idioms with *avoir*."""

from typing import NamedTuple

from .table import rows
from .tense import Tense


class Adverb(NamedTuple):
    """One adverb in both languages."""

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


FREQUENCY = tuple(
    Adverb(*cells)
    for cells in rows(
        """
        often | souvent
        always | toujours
        sometimes | parfois
        rarely | rarement
        """
    )
)
UNDER_NEGATION = FREQUENCY[:2]

MANNER = tuple(
    Adverb(*cells)
    for cells in rows(
        """
        slowly | lentement
        quickly | rapidement
        quietly | silencieusement
        gently | doucement
        patiently | patiemment
        carefully | prudemment
        """
    )
)

_PRESENT = (Tense.PRESENT, Tense.PROGRESSIVE)
_FUTURE = (Tense.FUTURE, Tense.GOING)

TIME = {
    **dict.fromkeys(_PRESENT, (Adverb("today", "aujourd'hui"), Adverb("now", "maintenant"))),
    **dict.fromkeys(_FUTURE, (Adverb("tomorrow", "demain"), Adverb("soon", "bientôt"))),
    Tense.PAST: (Adverb("yesterday", "hier"),),
}

DEGREE = (Adverb("very", "très"), Adverb("too", "trop"))

PLACES = tuple(
    Preposition(tuple(english.split()), tuple(french.split()), tuple(kinds.split()))
    for english, french, kinds in rows(
        """
        in | dans | place
        in | dans | place
        in front of | devant | place
        behind | derrière | place surface
        near | près de | place surface
        on | sur | surface
        under | sous | surface
        """
    )
)

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

AVOIR_STATES = tuple(
    (english, french)
    for english, french in rows(
        """
        hungry | faim
        thirsty | soif
        cold | froid
        hot | chaud
        afraid | peur
        """
    )
)

WEATHER_STATES = (("cold", "froid"), ("hot", "chaud"), ("nice", "beau"))

QUESTIONS = (("where", "où"), ("when", "quand"), ("why", "pourquoi"), ("how", "comment"))
