"""Whole sentences of a wanted length, with everything but capitals and elision."""

from typing import NamedTuple

from ..derivation import Derivation
from ..lexicon.determiners import A_FEW, ADDRESSES, BARE, COUNTED, MANY, NO, SEVERAL, SOME, THE, A
from ..lexicon.particles import CONNECTORS, Connector
from ..lexicon.verbs import INTRANSITIVE, TRANSITIVE, Negation, Tense
from ..words import ADP, CCONJ, INTJ, NOUN, PUNCT, Phrase, Word
from . import predicates
from .clauses import action, draw_clause, statement
from .phrases import describe, noun_group
from .predicates import Sides
from .questions import QUESTIONERS
from .settings import STATE, STATEMENT, Setting, full_phrase, object_pool, place, subject_phrase
from .verbs import Use, settled

_LONGEST_WITHOUT_ROWS = 14
_ATTEMPTS = 8
_SLACK = 2
_DEEDS = ((0.4, Tense.PAST), (0.7, Tense.PRESENT), (1.0, Tense.FUTURE))
_EXISTING = ((A,), (SOME, SEVERAL, A_FEW, MANY, *COUNTED[:5]))
_ALONE = tuple(connector for connector in CONNECTORS if connector.after is None)


class Words(NamedTuple):
    """Both sides before they are written."""

    english: list[Word]
    french: list[Word]
    sentence: bool
    """A sentence, with a capital and a full stop, and not a bare noun phrase."""


class Range(NamedTuple):
    """How many English tokens there may be."""

    shortest: int
    longest: int


def draw_sentence(derivation: Derivation, length: Range) -> Words:
    """Something of about ``length``; the caller checks, and draws again."""
    if length.shortest > _LONGEST_WITHOUT_ROWS:
        return assertion(derivation, length)
    kind = derivation.pick(_SHARES)
    if kind == "asked":
        english, french = derivation.weighted(QUESTIONERS)(derivation)
        return finish(derivation, english, french, "?")
    if kind == "bare":
        return bare(derivation)
    if kind == "ordered":
        return command(derivation)
    return assertion(derivation, length)


_SHARES = ("asked",) * 22 + ("bare",) * 6 + ("ordered",) * 4 + ("told",) * 68


def bare(derivation: Derivation) -> Words:
    """A noun phrase by itself: *red dress*, *robe rouge*."""
    kind = derivation.pick(("clothes", "animal", "thing", "person", "food", "vehicle", "place"))
    determiner = derivation.pick((BARE, THE))
    plural = derivation.chance(0.35)
    phrase = noun_group(derivation, determiner, describe(derivation, kind, THE, plural=plural))
    return Words(phrase.english, phrase.french, sentence=False)


def command(derivation: Derivation) -> Words:
    """*Open the door!*, *Do not wash the cat!*, *Madam, close the window!*"""
    opening = _address(derivation) if derivation.chance(0.3) else ([], [])
    verb = derivation.pick(TRANSITIVE)
    negation = Negation.NOT if derivation.chance(0.25) else None
    use = Use(Tense.PRESENT, negation)
    what = full_phrase(derivation, verb.objects, object_pool(verb, use))
    english, french = predicates.ordering(derivation, verb, derivation.addressee.person, use)
    first = opening[0] + english + what.english
    return finish(derivation, first, opening[1] + french + what.french, "!")


def finish(derivation: Derivation, english: list[Word], french: list[Word], mark: str) -> Words:
    """A sentence with its mark at the end."""
    end = Word(mark, PUNCT, (derivation.link(),))
    return Words([*english, end], [*french, end], sentence=True)


def assertion(derivation: Derivation, length: Range) -> Words:
    """A statement, as long as it is wanted."""
    opening = _opening(derivation)
    (english, french), tense = _first(derivation)
    joined = opening[0] + english, opening[1] + french
    goal = _goal(derivation, length)
    failures = 0
    while len(joined[0]) + 1 < goal and failures < _ATTEMPTS:
        longer, later = lengthen(derivation, joined, tense)
        if len(longer[0]) + 1 <= min(goal + _SLACK, length.longest):
            joined, tense = longer, later
        else:
            failures += 1
    return finish(derivation, *joined, ".")


def _goal(derivation: Derivation, length: Range) -> int:
    """A length to reach: any of a bucket; without one, most sentences stay as they are."""
    if length.shortest <= 1 and not derivation.chance(0.3):
        return 0
    return derivation.pick(range(length.shortest, length.longest + 1))


def lengthen(derivation: Derivation, sides: Sides, tense: Tense) -> tuple[Sides, Tense]:
    """``sides`` with one more clause after a conjunction that fits."""
    connector = derivation.pick(CONNECTORS)
    if connector.after is not None and tense not in connector.after:
        connector = derivation.pick(_ALONE)
    setting = Setting(connector.before, connector.negatable)
    drawn = draw_clause(derivation, setting)
    english, french = statement(drawn.clause)
    first, second = _connecting(derivation, connector)
    return (sides[0] + first + english, sides[1] + second + french), drawn.tense


def _connecting(derivation: Derivation, connector: Connector) -> Sides:
    """The words of a conjunction; a comma is linked with a comma."""
    link, comma = (derivation.link(),), (derivation.link(),)

    def word(text: str) -> Word:
        if text == ",":
            return Word(text, PUNCT, comma)
        if text == "pendant":
            return Word(text, ADP, link)
        return Word(text, connector.tag, link)

    return [word(text) for text in connector.english], [word(text) for text in connector.french]


def _first(derivation: Derivation) -> tuple[Sides, Tense]:
    """The first clause: mostly any, sometimes *there is*, or two verbs of one subject."""
    if derivation.chance(0.04):
        return there_is(derivation)
    if derivation.chance(0.07):
        return two_deeds(derivation)
    drawn = draw_clause(derivation, STATEMENT)
    return statement(drawn.clause), drawn.tense


def there_is(derivation: Derivation) -> tuple[Sides, Tense]:
    """*There are two cats in the garden*, *There is no milk on the table*."""
    tense = derivation.weighted(STATE)
    denied = derivation.chance(0.2)
    kind = derivation.pick(("animal", "thing", "person", "food"))
    what = _some(derivation, kind, plural=derivation.chance(0.5), denied=denied)
    use = Use(tense, Negation.NOT if denied else None)
    english, french = predicates.existing(derivation, use, what)
    if derivation.chance(0.3):
        return (english, french), tense
    where, lieu = place(derivation)
    return (english + where, french + lieu), tense


def _some(derivation: Derivation, kind: str, *, plural: bool, denied: bool) -> Phrase:
    determiner = NO if denied else derivation.pick(_EXISTING[plural])
    return noun_group(derivation, determiner, describe(derivation, kind, NO, plural=plural))


def two_deeds(derivation: Derivation) -> tuple[Sides, Tense]:
    """*The boy closes the door and sleeps*: one subject, two verbs."""
    use = Use(derivation.weighted(_DEEDS))
    subject = subject_phrase(derivation, ("person",), use)
    first, second = derivation.pick(TRANSITIVE), derivation.pick(INTRANSITIVE)
    use = settled(first, use)
    english, french = action(derivation, first, subject, use)
    more, encore = predicates.doing(derivation, second, subject.agreement, use)
    link = (derivation.link(),)
    sides = (
        [*subject.english, *english, Word("and", CCONJ, link), *more],
        [*subject.french, *french, Word("et", CCONJ, link), *encore],
    )
    return sides, use.tense


def _opening(derivation: Derivation) -> Sides:
    """*Yes,* or *Madam,* before the sentence, or nothing."""
    if derivation.chance(0.94):
        return [], []
    link, comma = (derivation.link(),), Word(",", PUNCT, (derivation.link(),))
    if derivation.chance(0.5):
        english, french = derivation.pick((("yes", "oui"), ("no", "non")))
        return [Word(english, INTJ, link), comma], [Word(french, INTJ, link), comma]
    return _address(derivation)


def _address(derivation: Derivation) -> Sides:
    """*Madam,*: from here on *you* is *vous*."""
    link, comma = (derivation.link(),), Word(",", PUNCT, (derivation.link(),))
    address = derivation.pick(ADDRESSES)
    derivation.addressee = address.agreement
    article = [] if address.determiner is None else [address.determiner]
    return (
        [Word(address.english, NOUN, link), comma],
        [*article, Word(address.french, NOUN, link), comma],
    )
