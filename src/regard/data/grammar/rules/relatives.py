"""Phrases at their fullest: with relative clauses, or several in a row."""

from ..derivation import Derivation
from ..lexicon.determiners import DEFINITE, DENIED, OPEN, Pool
from ..lexicon.nouns import NOUNS
from ..lexicon.tense import Negation, Tense
from ..lexicon.verb import Verb
from ..lexicon.verbs import INTRANSITIVE, STATIVE, TRANSITIVE
from ..words import ADP, PART, PRON, PROPN, Phrase, Word
from .phrases import any_pronoun, noun_phrase, pronoun, row_of
from .predicates import Sides, doing, doing_before, doing_to
from .verbs import Use, settled

_TENSES = ((0.35, Tense.PAST), (0.65, Tense.PRESENT), (0.85, Tense.FUTURE), (1.0, Tense.PERFECT))
_CLOSED = frozenset({ADP, PART, PROPN})

DONE_TO: dict[str, tuple[Verb, ...]] = {
    kind: tuple(verb for verb in TRANSITIVE + STATIVE if kind in verb.objects) for kind in NOUNS
}
"""Kind of noun to the verbs it can be the object of."""

DONE_BY: dict[str, tuple[Verb, ...]] = {
    kind: tuple(verb for verb in TRANSITIVE + INTRANSITIVE if kind in verb.subjects)
    for kind in NOUNS
}
"""Kind of noun to the verbs it can be the subject of."""


def full_phrase(derivation: Derivation, kinds: tuple[str, ...], pool: Pool) -> Phrase:
    """A phrase, now and then with a relative clause or in a row of two or three."""
    if derivation.chance(0.06):
        return row(derivation, kinds, DEFINITE if pool is DENIED else pool)
    kind = derivation.pick(kinds)
    phrase = noun_phrase(derivation, (kind,), pool)
    if derivation.nested or pool is DENIED or not derivation.chance(0.12):
        return phrase
    if any(word.tag in _CLOSED for word in phrase.english):
        return phrase
    return with_relative(derivation, phrase, kind)


def row(derivation: Derivation, kinds: tuple[str, ...], pool: Pool) -> Phrase:
    """Two or three different phrases."""
    count = 3 if derivation.chance(0.25) else 2
    phrases: list[Phrase] = []
    while len(phrases) < count:
        phrase = noun_phrase(derivation, kinds, pool)
        if all(phrase.french[-1].text != other.french[-1].text for other in phrases):
            phrases.append(phrase)
    return row_of(derivation, phrases)


def with_relative(derivation: Derivation, phrase: Phrase, kind: str) -> Phrase:
    """*the apple that I ate*, *la pomme que j'ai mangée*."""
    derivation.nested = True
    as_subject = DONE_BY[kind] and (not DONE_TO[kind] or derivation.chance(0.5))
    if as_subject:
        english, french = _subject_relative(derivation, phrase, kind)
    elif DONE_TO[kind]:
        english, french = _object_relative(derivation, phrase, kind)
    else:
        english, french = [], []
    derivation.nested = False
    return Phrase(phrase.english + english, phrase.french + french, phrase.agreement)


def _subject_relative(derivation: Derivation, phrase: Phrase, kind: str) -> Sides:
    """*who sleeps*, *qui dort*."""
    verb = derivation.pick(DONE_BY[kind])
    use = _use(derivation, verb)
    link = (derivation.link(),)
    if verb.objects:
        pool = OPEN if use.negation is None else DENIED
        what = noun_phrase(derivation, verb.objects, pool)
        english, french = doing_to(derivation, verb, phrase.agreement, use, what)
    else:
        english, french = doing(derivation, verb, phrase.agreement, use)
    who = Word("who" if kind == "person" else "that", PRON, link)
    return [who, *english], [Word("qui", PRON, link), *french]


def _object_relative(derivation: Derivation, phrase: Phrase, kind: str) -> Sides:
    """*whom I love*, *que j'aime*; the participle agrees with what went before."""
    verb = derivation.pick(DONE_TO[kind])
    use = _use(derivation, verb)
    link = (derivation.link(),)
    if derivation.chance(0.5):
        subject = pronoun(derivation, any_pronoun(derivation))
    else:
        subject = noun_phrase(derivation, verb.subjects, DEFINITE)
    english, french = doing_before(derivation, verb, subject.agreement, use, phrase.agreement)
    whom = Word("whom" if kind == "person" else "that", PRON, link)
    return (
        [whom, *subject.english, *english],
        [Word("que", PRON, link), *subject.french, *french],
    )


def _use(derivation: Derivation, verb: Verb) -> Use:
    """A tense, sometimes denied."""
    negation = Negation.NOT if derivation.chance(0.1) else None
    return settled(verb, Use(derivation.weighted(_TENSES), negation))
