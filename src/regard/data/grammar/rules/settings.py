"""How a clause is said: tense, negation, subject with its relative clause, what may come last."""

from typing import NamedTuple

from ..derivation import Derivation
from ..lexicon.determiners import DEFINITE, DENIED, OPEN, SUBJECT, Pool
from ..lexicon.nouns import NOUNS
from ..lexicon.particles import FREQUENCY, MANNER, PLACES, TIME, UNDER_NEGATION
from ..lexicon.verbs import INTRANSITIVE, STATIVE, TRANSITIVE, Negation, Tense, Verb
from ..words import ADP, PART, PRON, PROPN, Phrase, Word
from . import predicates
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


ACTION = (
    (0.24, Tense.PRESENT),
    (0.34, Tense.PROGRESSIVE),
    (0.58, Tense.PAST),
    (0.66, Tense.PERFECT),
    (0.80, Tense.FUTURE),
    (0.86, Tense.GOING),
    (0.91, Tense.CAN),
    (0.95, Tense.MUST),
    (1.00, Tense.WANT),
)
STATE = ((0.55, Tense.PRESENT), (0.85, Tense.PAST), (1.0, Tense.FUTURE))
_DENIALS = ((0.7, Negation.NOT), (0.9, Negation.NEVER), (1.0, Negation.NO_LONGER))
_FREQUENT = frozenset({Tense.PRESENT, Tense.PAST, Tense.PERFECT, Tense.FUTURE})
_LASTING = frozenset({Tense.PRESENT, Tense.FUTURE, Tense.GOING, Tense.CAN})


class Setting(NamedTuple):
    """What a clause must keep to."""

    tenses: tuple[Tense, ...] | None = None
    """The tenses allowed; None for all."""
    negatable: bool = True
    asked: bool = False


STATEMENT = Setting()
QUESTION = Setting(asked=True)


def draw_use(
    derivation: Derivation, setting: Setting, tenses: tuple[tuple[float, Tense], ...]
) -> Use:
    """A tense, a negation and an adverb that go together."""
    tense = derivation.weighted(tenses)
    if setting.tenses is not None and tense not in setting.tenses:
        tense = derivation.pick(setting.tenses)
        if tenses is STATE and tense in (Tense.PROGRESSIVE, Tense.PERFECT, Tense.GOING):
            tense = Tense.FUTURE if tense is Tense.GOING else Tense.PRESENT
    negation = None
    if setting.negatable and derivation.chance(0.18):
        negation = derivation.weighted(_DENIALS)
        if setting.asked or (negation is Negation.NO_LONGER and tense not in _LASTING):
            negation = Negation.NOT
    adverb = None
    free = setting.tenses is None and tense in _FREQUENT
    if free and negation in (None, Negation.NOT) and derivation.chance(0.09):
        adverb = derivation.pick(FREQUENCY if negation is None else UNDER_NEGATION)
    return Use(tense, negation, adverb, setting.asked)


def subject_phrase(derivation: Derivation, kinds: tuple[str, ...], use: Use) -> Phrase:
    """A pronoun, if a person can be the subject, or a phrase; *all* is never denied."""
    if "person" in kinds and derivation.chance(0.38):
        return pronoun(derivation, any_pronoun(derivation))
    return full_phrase(derivation, kinds, SUBJECT if use.negation is None else DEFINITE)


def object_pool(verb: Verb, use: Use) -> Pool:
    """The determiners of a direct object."""
    if verb.of_known:
        return DEFINITE
    return OPEN if use.negation is None else DENIED


def place(derivation: Derivation) -> Sides:
    """*in the garden*, *under the table*."""
    preposition = derivation.pick(PLACES)
    where = noun_phrase(derivation, preposition.kinds, DEFINITE)
    return predicates.location(derivation, preposition, where)


def with_tail(
    derivation: Derivation, english: list[Word], french: list[Word], use: Use, probability: float
) -> Sides:
    """Perhaps how, where or when, at the end."""
    if not derivation.chance(probability):
        return english, french
    if derivation.chance(0.5):
        more, encore = place(derivation)
    elif use.tense in TIME and _once(use) and derivation.chance(0.6):
        more, encore = predicates.adverbial(derivation, derivation.pick(TIME[use.tense]))
    else:
        more, encore = predicates.adverbial(derivation, derivation.pick(MANNER))
    return english + more, french + encore


def _once(use: Use) -> bool:
    """Whether *yesterday* or *now* can follow: not after *never* or *often*."""
    return use.adverb is None and use.negation in (None, Negation.NOT)
