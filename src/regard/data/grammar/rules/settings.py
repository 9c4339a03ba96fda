"""How a clause is said: its tense, its negation, its subject, and what may come at the end."""

from typing import NamedTuple

from ..derivation import Derivation
from ..lexicon.determiners import DEFINITE, DENIED, OPEN, SUBJECT, Pool
from ..lexicon.particles import FREQUENCY, MANNER, PLACES, TIME, UNDER_NEGATION
from ..lexicon.tense import Negation, Tense
from ..lexicon.verb import Verb
from ..words import Phrase, Word
from . import predicates
from .phrases import any_pronoun, noun_phrase, pronoun
from .predicates import Sides
from .relatives import full_phrase
from .verbs import Use

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
