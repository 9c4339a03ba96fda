"""Three example pairs, made by the rules of all others, and all forms of all verbs."""

from collections.abc import Iterator
from random import Random

from .derivation import Derivation
from .lexicon import verbs
from .lexicon.determiners import BARE, PRONOUN, THE
from .lexicon.nouns import ADJECTIVE, NOUN
from .lexicon.verbs import TRANSITIVES, EnglishVerb, FrenchVerb, Tense, Verb
from .pair import Pair, align, source_words, target_words
from .rules import phrases, predicates
from .rules.phrases import Described, noun_group
from .rules.sentences import Words, finish
from .rules.verbs import Use


def examples() -> tuple[Pair, ...]:
    """The cat and the mouse (a crossing, a verb in two steps), *I love you*, *red dress*."""
    return tuple(_written(make(Derivation(Random(0)))) for make in (_cat, _love, _dress))


def _written(words: Words) -> Pair:
    source = source_words(words.english, sentence=words.sentence)
    return align(source, target_words(words.french, sentence=words.sentence))


def _cat(derivation: Derivation) -> Words:
    cat = Described(NOUN["cat"], plural=False, after=ADJECTIVE["black"])
    subject = noun_group(derivation, THE, cat)
    mouse = noun_group(derivation, THE, Described(NOUN["mouse"], plural=False))
    english, french = predicates.doing_to(
        derivation, TRANSITIVES["eat"], subject.agreement, Use(Tense.PAST), mouse
    )
    return finish(derivation, subject.english + english, subject.french + french, ".")


def _love(derivation: Derivation) -> Words:
    subject = phrases.pronoun(derivation, PRONOUN["I"])
    english, french = predicates.doing_to_pronoun(
        derivation, TRANSITIVES["love"], subject.agreement, Use(Tense.PRESENT), PRONOUN["you"]
    )
    return finish(derivation, subject.english + english, subject.french + french, ".")


def _dress(derivation: Derivation) -> Words:
    dress = Described(NOUN["dress"], plural=False, after=ADJECTIVE["red"])
    phrase = noun_group(derivation, BARE, dress)
    return Words(phrase.english, phrase.french, sentence=False)


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
