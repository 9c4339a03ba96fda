"""What a verb is in both languages, and how its forms follow from a line of a table."""

from typing import NamedTuple

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
