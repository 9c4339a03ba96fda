"""The verbs by what follows them: an object, a receiver, a preposition, *that*, or nothing.

``verbs.tsv``: the English forms and particle, the French infinitive (``*``: past with *être*) and,
where they are not those of a regular *-er* verb, the present, the participle and the stem of the
future; then the kinds of subject and object, or the pair of prepositions.
"""

from typing import NamedTuple

from .table import Row, groups
from .verb import Verb, english_verb, french_verb


class Complement(NamedTuple):
    """A verb with the preposition that leads to its complement."""

    verb: Verb
    english: str
    french: str


_GROUPS = groups("verbs")


def _verb(row: Row, *, stative: bool = False, of_known: bool = False) -> Verb:
    english = english_verb(row["english"], row["particle"])
    french = french_verb(row["infinitive"], row["present"], row["participle"], row["future"])
    kinds = (tuple(row["subjects"].split()), tuple(row["objects"].split()))
    return Verb(english, french, *kinds, stative, of_known)


def _verbs(group: str, *, stative: bool = False, of_known: bool = False) -> tuple[Verb, ...]:
    return tuple(_verb(row, stative=stative, of_known=of_known) for row in _GROUPS[group])


def _complements(group: str) -> tuple[Complement, ...]:
    return tuple(
        Complement(_verb(row), row["preposition"], row["french_preposition"])
        for row in _GROUPS[group]
    )


TRANSITIVE = _verbs("transitive")
STATIVE = _verbs("state", stative=True, of_known=True) + _verbs("owning", stative=True)
INTRANSITIVE = _verbs("intransitive")
GIVING = _verbs("giving")
GOING_PLACES = _complements("going")
WITH_SOMEONE = _complements("together")
THINKING = _verbs("thinking", stative=True)
WEATHER = _verbs("weather")

TRANSITIVES = {verb.english.base: verb for verb in TRANSITIVE + STATIVE}
"""English base form to verb with an object; verbs with a particle apart, the base is unique."""

ETRE = french_verb("être", "suis es est sommes êtes sont", "été", "ser")
AVOIR = french_verb("avoir", "ai as a avons avez ont", "eu", "aur")
FAIRE = french_verb("faire", "fais fais fait faisons faites font", "fait", "fer")
ALLER = french_verb("aller*", "vais vas va allons allez vont", "", "ir")
POUVOIR = french_verb("pouvoir", "peux peux peut pouvons pouvez peuvent", "pu", "pourr")
DEVOIR = french_verb("devoir", "dois dois doit devons devez doivent", "dû", "devr")
VOULOIR = french_verb("vouloir", "veux veux veut voulons voulez veulent", "voulu", "voudr")
