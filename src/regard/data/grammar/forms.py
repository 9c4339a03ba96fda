"""All forms of all verbs, for a vocabulary that has seen each of them."""

from collections.abc import Iterator

from .lexicon import verbs
from .lexicon.verb import EnglishVerb, FrenchVerb, Verb


def verb_forms() -> Iterator[tuple[str, str]]:
    """The English and the French forms of one verb after the other, between spaces."""
    for verb in _verbs():
        yield " ".join(_english(verb.english)), " ".join(_french(verb.french))


def _verbs() -> Iterator[Verb]:
    yield from (*verbs.TRANSITIVE, *verbs.STATIVE, *verbs.INTRANSITIVE)
    yield from (*verbs.GIVING, *verbs.THINKING, *verbs.WEATHER)
    for complement in (*verbs.GOING_PLACES, *verbs.WITH_SOMEONE):
        yield complement.verb


def _english(verb: EnglishVerb) -> tuple[str, ...]:
    return (verb.base, verb.third, verb.past, verb.participle, verb.progressive)


def _french(verb: FrenchVerb) -> tuple[str, ...]:
    persons = (*verb.present, *verb.imperfect, *verb.future)
    return (verb.infinitive, *persons, *verb.participle)
