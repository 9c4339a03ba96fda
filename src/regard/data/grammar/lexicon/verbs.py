"""The verbs by what follows them: an object, a receiver, a preposition, *that*, or nothing.

``verbs.tsv``: the English forms and particle, the French infinitive (``*``: past with *être*) and,
where they are not those of a regular *-er* verb, the present, the participle and the stem of the
future; then the kinds of subject and object, or the pair of prepositions.
"""

from enum import Enum
from typing import NamedTuple

from .table import Row, groups


class Tense(Enum):
    """An English verb group and the French one that translates it."""

    PRESENT = "eats → mange"
    PROGRESSIVE = "is eating → mange"
    PAST = "ate → a mangé; a state: knew → connaissait"
    PERFECT = "has eaten → a mangé"
    FUTURE = "will eat → mangera"
    GOING = "is going to eat → va manger"
    CAN = "can eat → peut manger"
    MUST = "must eat → doit manger"
    WANT = "wants to eat → veut manger"


class Negation(Enum):
    """What denies a clause, in English and around the finite verb in French."""

    NOT = "not → ne pas"
    NEVER = "never → ne jamais"
    NO_LONGER = "no longer → ne plus"


_ER = ("e", "es", "e", "ons", "ez", "ent")
_IMPERFECT = ("ais", "ais", "ait", "ions", "iez", "aient")
_FUTURE = ("ai", "as", "a", "ons", "ez", "ont")


class EnglishVerb(NamedTuple):
    """The five forms of an English verb and the particle that follows it (*look for*)."""

    base: str
    third: str
    past: str
    participle: str
    progressive: str
    particle: str | None


class FrenchVerb(NamedTuple):
    """The forms of a French verb, one for each of six persons, and its auxiliary."""

    infinitive: str
    present: tuple[str, ...]
    imperfect: tuple[str, ...]
    future: tuple[str, ...]
    participle: tuple[str, str, str, str]
    """Masculine, feminine, masculine plural, feminine plural."""
    auxiliary: str
    """``avoir`` or ``être``."""
    reflexive: bool
    """Whether it carries *se*: *se lever*."""


class Verb(NamedTuple):
    """One verb in both languages with what may stand around it."""

    english: EnglishVerb
    french: FrenchVerb
    subjects: tuple[str, ...]
    objects: tuple[str, ...]
    stative: bool
    """A state: no progressive, and its past is the imperfect."""
    of_known: bool
    """Whether its object is known already: one loves *le lait*, not *du lait*."""


def english_verb(forms: str, particle: str) -> EnglishVerb:
    """``"eat eats ate eaten eating"`` and a particle, empty for none."""
    base, third, past, participle, progressive = forms.split()
    return EnglishVerb(base, third, past, participle, progressive, particle or None)


def french_verb(infinitive: str, present: str, participle: str, future: str) -> FrenchVerb:
    """A French verb; what is empty follows the regular pattern of *-er* verbs.

    An infinitive with *se* is reflexive, and one with ``*`` makes its past with *être*.
    """
    reflexive = infinitive.startswith(("se ", "s'"))
    moving = infinitive.endswith("*")
    name = infinitive.removeprefix("se ").removeprefix("s'").removesuffix("*")
    forms = tuple(present.split()) or _regular_present(name)
    stem = future or name.removesuffix("e")
    return FrenchVerb(
        infinitive=name,
        present=forms,
        imperfect=_imperfect(forms[3], name),
        future=tuple(stem + ending for ending in _FUTURE),
        participle=_agreeing(participle or name[:-2] + "é"),
        auxiliary="être" if reflexive or moving else "avoir",
        reflexive=reflexive,
    )


def _regular_present(infinitive: str) -> tuple[str, ...]:
    """*-er* verbs; *manger* and *commencer* keep their sound before *o*."""
    stem = infinitive[:-2]
    soft = {"g": stem + "e", "c": stem[:-1] + "ç"}.get(stem[-1], stem)
    return tuple((soft if ending == "ons" else stem) + ending for ending in _ER)


def _imperfect(first_plural: str, infinitive: str) -> tuple[str, ...]:
    """The stem of the first person plural; *être* alone has another."""
    stem = "ét" if infinitive == "être" else first_plural.removesuffix("ons")
    return tuple(stem + ending for ending in _IMPERFECT)


def _agreeing(masculine: str) -> tuple[str, str, str, str]:
    """The four forms of a past participle."""
    plural = masculine if masculine.endswith("s") else masculine + "s"
    return (masculine, masculine + "e", plural, masculine + "es")


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
