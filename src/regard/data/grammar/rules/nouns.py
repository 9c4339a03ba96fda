"""Noun groups: determiner, adjectives and noun, agreeing in gender and number."""

from typing import NamedTuple

from ..derivation import Derivation
from ..lexicon.adjectives import Adjective
from ..lexicon.determiners import Determiner
from ..lexicon.nouns import Noun
from ..lexicon.particles import Particle
from ..sounds import starts_with_vowel_sound
from ..words import ADJ, ADV, NOUN, Agreement, Phrase, Word


class Described(NamedTuple):
    """A noun with the words around it, before it becomes a phrase."""

    noun: Noun
    plural: bool
    before: Adjective | None = None
    """An adjective French puts before the noun."""
    after: Adjective | None = None
    """An adjective French puts after the noun."""
    degree: Particle | None = None
    """How much of the adjective nearest to the determiner: *very*."""


def noun_group(derivation: Derivation, determiner: Determiner, described: Described) -> Phrase:
    """*the small black cat*, *le petit chat noir*: what agrees, agrees; adjectives cross over."""
    english, french = described_words(derivation, described)
    noun, plural = described.noun, described.plural
    place = 2 * plural + noun.feminine
    vowel = starts_with_vowel_sound(french[0].text)
    english_start: list[Word] = []
    french_start: list[Word] = []
    for part in determiner:
        links = (derivation.link(),)
        forms = part.before_vowel if vowel else part.french
        if described.before is not None and part.before_adjective is not None:
            forms = part.before_adjective
        english_start += [Word(text, tag, links) for text, tag, _ in part.english[plural]]
        french_start += [Word(text, tag, links) for text, tag, _ in forms[place]]
    agreement = Agreement(5 if plural else 2, noun.feminine, plural)
    return Phrase(english_start + english, french_start + french, agreement)


def described_words(derivation: Derivation, described: Described) -> tuple[list[Word], list[Word]]:
    """The words of both languages without determiner."""
    noun, plural, before, after, degree = described
    link = derivation.link()
    english = [Word(noun.english[plural], NOUN, (link,))]
    french = [Word(noun.french[plural], NOUN, (link,))]
    if after is not None:
        some, more = adjective_words(derivation, after, None if before else degree, described)
        english, french = some + english, french + more
    if before is not None:
        some, more = adjective_words(derivation, before, degree, described)
        if before.before_vowel != before.french[0] and not noun.feminine and not plural:
            form = before.before_vowel if noun.vowel[0] else before.french[0]
            more[-1] = more[-1]._replace(text=form)
        english, french = some + english, more + french
    return english, french


def adjective_words(
    derivation: Derivation, adjective: Adjective, degree: Particle | None, described: Described
) -> tuple[list[Word], list[Word]]:
    """An adjective that agrees with the noun of ``described``."""
    form = adjective.form(feminine=described.noun.feminine, plural=described.plural)
    return grade(derivation, adjective.english, form, degree)


def grade(
    derivation: Derivation, english: str, french: str, degree: Particle | None
) -> tuple[list[Word], list[Word]]:
    """An adjective in both languages, with *very* before it if asked for."""
    links = (derivation.link(),)
    first, second = [Word(english, ADJ, links)], [Word(french, ADJ, links)]
    if degree is not None:
        links = (derivation.link(),)
        first.insert(0, Word(degree.english, ADV, links))
        second.insert(0, Word(degree.french, ADV, links))
    return first, second
