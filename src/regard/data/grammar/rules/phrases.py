"""Phrases that can be subject or object: nouns, names, pronouns and rows of them."""

from typing import NamedTuple

from ..derivation import FAMILIAR, Derivation
from ..lexicon.determiners import (
    BARE,
    COUNTED,
    DEFINITE,
    PRONOUN,
    PRONOUNS,
    THE,
    YOUR,
    YOUR_FORMAL,
    A,
    Determiner,
    Pool,
    Pronoun,
    polite_you,
)
from ..lexicon.nouns import AFTER, BEFORE, NOUNS, PEOPLE, RANKING, Adjective, Name, Noun
from ..lexicon.particles import DEGREE, Particle
from ..words import (
    ADJ,
    ADP,
    ADV,
    CCONJ,
    NOUN,
    PART,
    PRON,
    PROPN,
    PUNCT,
    Agreement,
    Phrase,
    Word,
    starts_with_vowel_sound,
)


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


_WHOLES = {
    "door": ("place",),
    "window": ("place",),
    "colour": ("clothes", "thing", "vehicle"),
    "price": ("clothes", "thing", "vehicle"),
    "name": ("animal", "place"),
}
_PARTS = {kind: tuple(n for n in NOUNS[kind] if n.english[0] in _WHOLES) for kind in NOUNS}
_OWNED = frozenset({"animal", "clothes", "thing", "reading", "vehicle"})


def pronoun(derivation: Derivation, entry: Pronoun) -> Phrase:
    """A subject pronoun."""
    links = (derivation.link(),)
    english, french = entry.subject
    return Phrase([Word(english, PRON, links)], [Word(french, PRON, links)], entry.agreement)


def any_pronoun(derivation: Derivation) -> Pronoun:
    """One of the six; *you* is whoever the sentence addresses."""
    entry = derivation.pick(PRONOUNS)
    if entry is PRONOUN["you"] and derivation.addressee is not FAMILIAR:
        return polite_you(derivation.addressee)
    return entry


def name(derivation: Derivation, entry: Name) -> Phrase:
    """A person's name."""
    links = (derivation.link(),)
    agreement = Agreement(2, entry.feminine, False)
    english, french = Word(entry.english, PROPN, links), Word(entry.french, PROPN, links)
    return Phrase([english], [french], agreement)


def noun_phrase(derivation: Derivation, kinds: tuple[str, ...], pool: Pool) -> Phrase:
    """A noun of one of ``kinds`` with a determiner of ``pool`` and all that describes it."""
    kind = derivation.pick(kinds)
    if kind == "person" and derivation.chance(0.25):
        return name(derivation, derivation.pick(PEOPLE))
    if kind == "aspect" or (kind == "opening" and derivation.chance(0.2)):
        return part_of(derivation, derivation.pick(_PARTS[kind]))
    if kind == "drink" and pool is not DEFINITE and derivation.chance(0.25):
        return vessel_of(derivation)
    if kind in _OWNED and derivation.chance(0.06):
        return possession(derivation, describe(derivation, kind, THE))
    noun_kind = NOUNS[kind]
    plural = not noun_kind[0].mass and derivation.chance(0.35)
    determiner = choose_determiner(derivation, pool, noun_kind[0], plural=plural)
    return noun_group(derivation, determiner, describe(derivation, kind, determiner, plural=plural))


def choose_determiner(
    derivation: Derivation, pool: Pool, noun: Noun, *, plural: bool
) -> Determiner:
    """A determiner that fits; *your* follows the way somebody is addressed."""
    if noun.mass:
        choice = derivation.pick(pool.stuff)
    else:
        choice = derivation.pick(pool.plural if plural else pool.singular)
    return YOUR_FORMAL if choice is YOUR and derivation.addressee is not FAMILIAR else choice


def describe(
    derivation: Derivation, kind: str, determiner: Determiner, *, plural: bool = False
) -> Described:
    """A noun of ``kind`` with none, one or two adjectives, one on either side in French."""
    noun = derivation.pick(NOUNS[kind])
    before = after = degree = None
    if BEFORE.get(kind) and derivation.chance(0.22):
        ranked = determiner is THE and not noun.mass and derivation.chance(0.2)
        before = derivation.pick(RANKING if ranked else BEFORE[kind])
        degree = _degree(derivation, before)
    if AFTER.get(kind) and derivation.chance(0.22):
        after = derivation.pick(AFTER[kind])
        degree = _degree(derivation, after) if before is None else degree
    return Described(noun, plural, before, after, degree)


def _degree(derivation: Derivation, adjective: Adjective) -> Particle | None:
    return DEGREE[0] if adjective.gradable and derivation.chance(0.12) else None


def possession(derivation: Derivation, thing: Described) -> Phrase:
    """*Mary's black cat*, *le chat noir de Marie*: English has no word for this *le*."""
    owner = _owner(derivation)
    english, french = described_words(derivation, thing)
    links = (derivation.link(),)
    article = THE[0].french[thing.noun.feminine][0]
    agreement = Agreement(2, thing.noun.feminine, False)
    return Phrase(
        [*owner.english, Word("'s", PART, links), *english],
        [article, *french, Word("de", ADP, links), *owner.french],
        agreement,
    )


def _owner(derivation: Derivation) -> Phrase:
    if derivation.chance(0.5):
        return name(derivation, derivation.pick(PEOPLE))
    owner = Described(derivation.pick(NOUNS["person"]), plural=False)
    determiner = choose_determiner(derivation, DEFINITE, owner.noun, plural=False)
    return noun_group(derivation, determiner, owner)


def part_of(derivation: Derivation, noun: Noun) -> Phrase:
    """*the door of the house*, *la porte de la maison*."""
    head = noun_group(derivation, THE, Described(noun, plural=False))
    whole = Described(
        derivation.pick(NOUNS[derivation.pick(_WHOLES[noun.english[0]])]), plural=False
    )
    determiner = choose_determiner(derivation, DEFINITE, whole.noun, plural=False)
    return join_with(derivation, head, ("of", "de"), noun_group(derivation, determiner, whole))


def vessel_of(derivation: Derivation) -> Phrase:
    """*a glass of water*, *un verre d'eau*."""
    plural = derivation.chance(0.3)
    vessel = Described(derivation.pick(NOUNS["vessel"]), plural)
    determiner = derivation.pick(COUNTED) if plural else A
    drink = Described(derivation.pick(NOUNS["drink"]), plural=False)
    head = noun_group(derivation, determiner, vessel)
    return join_with(derivation, head, ("of", "de"), noun_group(derivation, BARE, drink))


def join_with(
    derivation: Derivation, head: Phrase, preposition: tuple[str, str], other: Phrase
) -> Phrase:
    """Two phrases with a preposition between them; the first one is agreed with."""
    links = (derivation.link(),)
    return Phrase(
        [*head.english, Word(preposition[0], ADP, links), *other.english],
        [*head.french, Word(preposition[1], ADP, links), *other.french],
        head.agreement,
    )


def row_of(derivation: Derivation, phrases: list[Phrase]) -> Phrase:
    """*the cat, the dog and the bird*: plural, and masculine as soon as one of them is."""
    english, french = list(phrases[0].english), list(phrases[0].french)
    for phrase in phrases[1:]:
        links = (derivation.link(),)
        last = phrase is phrases[-1]
        english.append(Word("and", CCONJ, links) if last else Word(",", PUNCT, links))
        french.append(Word("et", CCONJ, links) if last else Word(",", PUNCT, links))
        english += phrase.english
        french += phrase.french
    feminine = all(phrase.agreement.feminine for phrase in phrases)
    return Phrase(english, french, Agreement(5, feminine, True))
