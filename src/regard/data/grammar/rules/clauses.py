"""Clauses: a subject and a predicate drawn from all that the grammar can say."""

from collections.abc import Callable
from typing import NamedTuple

from ..derivation import Derivation
from ..lexicon.determiners import DEFINITE, OPEN
from ..lexicon.nouns import CITIES, COMPARED, PREDICATES
from ..lexicon.particles import AGES, AVOIR_STATES, DEGREE, WEATHER_STATES
from ..lexicon.verbs import (
    FAIRE,
    GIVING,
    GOING_PLACES,
    INTRANSITIVE,
    STATIVE,
    THINKING,
    TRANSITIVE,
    WEATHER,
    WITH_SOMEONE,
    Complement,
    Tense,
    Verb,
)
from ..words import ADJ, PRON, Agreement, Clause, Phrase, Word
from . import predicates
from .phrases import any_pronoun, name, noun_phrase
from .predicates import Sides
from .settings import (
    ACTION,
    STATE,
    STATEMENT,
    Setting,
    draw_use,
    full_phrase,
    object_pool,
    place,
    subject_phrase,
    with_tail,
)
from .verbs import Use, copula, links, negate, settled, simple

_DESCRIBED = tuple(kind for kind in COMPARED if COMPARED[kind])


class TensedClause(NamedTuple):
    """A clause and the tense it came out in."""

    clause: Clause
    tense: Tense


def draw_clause(derivation: Derivation, setting: Setting) -> TensedClause:
    """Any clause that keeps to ``setting``."""
    maker = derivation.weighted(CLAUSES)
    if maker is thinking and setting.tenses is not None and Tense.PRESENT not in setting.tenses:
        maker = acting
    return maker(derivation, setting)


def _put(subject: Phrase, use: Use, sides: Sides) -> TensedClause:
    return TensedClause(Clause(subject, *sides), use.tense)


def acting(derivation: Derivation, setting: Setting) -> TensedClause:
    """A verb with an object: *The black cat ate the mouse*, *I love you*."""
    verb = derivation.pick(STATIVE if derivation.chance(0.2) else TRANSITIVE)
    use = settled(verb, draw_use(derivation, setting, ACTION))
    subject = subject_phrase(derivation, verb.subjects, use)
    return _put(subject, use, action(derivation, verb, subject, use))


def action(derivation: Derivation, verb: Verb, subject: Phrase, use: Use) -> Sides:
    """What a subject does to an object."""
    if "person" in verb.objects and derivation.chance(0.3):
        whom = any_pronoun(derivation)
        if whom.speaks_of != subject.agreement.person % 3 or whom.speaks_of == 2:
            return predicates.doing_to_pronoun(derivation, verb, subject.agreement, use, whom)
    what = full_phrase(derivation, verb.objects, object_pool(verb, use))
    english, french = predicates.doing_to(derivation, verb, subject.agreement, use, what)
    return with_tail(derivation, english, french, use, 0.0 if verb.stative else 0.16)


def moving(derivation: Derivation, setting: Setting) -> TensedClause:
    """A verb without object: *The bird sleeps under the table*."""
    verb = derivation.pick(INTRANSITIVE)
    use = draw_use(derivation, setting, ACTION)
    subject = subject_phrase(derivation, verb.subjects, use)
    english, french = predicates.doing(derivation, verb, subject.agreement, use)
    return _put(subject, use, with_tail(derivation, english, french, use, 0.6))


def going(derivation: Derivation, setting: Setting) -> TensedClause:
    """To a place or from it: *We go to the market*, *She lives in Paris*."""
    complement = derivation.pick(GOING_PLACES)
    use = draw_use(derivation, setting, ACTION)
    subject = subject_phrase(derivation, ("person",), use)
    if complement.english == "in" or derivation.chance(0.3):
        where = name(derivation, derivation.pick(CITIES))
    else:
        where = noun_phrase(derivation, ("place",), DEFINITE)
    sides = predicates.doing_with(derivation, complement, subject.agreement, use, where)
    return _put(subject, use, sides)


def meeting(derivation: Derivation, setting: Setting) -> TensedClause:
    """With somebody: *The boy plays with the dog*, *She dreams about him*."""
    complement = derivation.pick(WITH_SOMEONE)
    use = draw_use(derivation, setting, ACTION)
    subject = subject_phrase(derivation, ("person",), use)
    entry = any_pronoun(derivation)
    same = entry.speaks_of == subject.agreement.person % 3
    if complement.english != "to" and not same and derivation.chance(0.3):
        link = (derivation.link(),)
        english, french = entry.strong
        whom = Phrase([Word(english, PRON, link)], [Word(french, PRON, link)], entry.agreement)
    else:
        whom = _someone(derivation, complement)
    sides = predicates.doing_with(derivation, complement, subject.agreement, use, whom)
    return _put(subject, use, sides)


def _someone(derivation: Derivation, complement: Complement) -> Phrase:
    """Whom a preposition leads to; *à* and *de* would come again in a row, and *de* eats *des*."""
    if complement.french in ("à", "de"):
        return noun_phrase(derivation, ("person",), DEFINITE)
    return full_phrase(derivation, ("person",), OPEN)


def giving(derivation: Derivation, setting: Setting) -> TensedClause:
    """*The teacher gives the book to the child*, *He sent me three letters*."""
    verb = derivation.pick(GIVING)
    use = draw_use(derivation, setting, ACTION)
    subject = subject_phrase(derivation, ("person",), use)
    pool = object_pool(verb, use)
    what = noun_phrase(derivation, ("thing", "clothes", "reading"), pool)
    receiver = any_pronoun(derivation)
    same = receiver.speaks_of == subject.agreement.person % 3 and receiver.speaks_of != 2
    whom = receiver if derivation.chance(0.5) and not same else None
    sides = predicates.giving(
        derivation,
        verb,
        subject.agreement,
        use,
        what,
        whom if whom is not None else noun_phrase(derivation, ("person",), DEFINITE),
    )
    return _put(subject, use, sides)


def describing(derivation: Derivation, setting: Setting) -> TensedClause:
    """*The cats are black*, *She is taller than Paul*."""
    use = draw_use(derivation, setting, STATE)
    kind = derivation.pick(_DESCRIBED)
    subject = subject_phrase(derivation, (kind,), use)
    agreement = subject.agreement
    if derivation.chance(0.2):
        adjective = derivation.pick(COMPARED[kind])
        other = noun_phrase(derivation, (kind,), DEFINITE)
        what = predicates.comparison(derivation, adjective, agreement, other)
    else:
        adjective = derivation.pick(PREDICATES[kind])
        graded = adjective.gradable and derivation.chance(0.2)
        degree = derivation.pick(DEGREE) if graded else None
        what = predicates.adjectival(derivation, adjective, agreement, degree)
    return _put(subject, use, predicates.being(derivation, agreement, use, what))


def standing(derivation: Derivation, setting: Setting) -> TensedClause:
    """*The key was on the table*."""
    use = draw_use(derivation, setting, STATE)
    subject = subject_phrase(derivation, ("person", "animal", "thing"), use)
    where = place(derivation)
    return _put(subject, use, predicates.being(derivation, subject.agreement, use, where))


def feeling(derivation: Derivation, setting: Setting) -> TensedClause:
    """*I am hungry*, *My sister is twenty years old*."""
    use = draw_use(derivation, setting, STATE)
    subject = subject_phrase(derivation, ("person",), use)
    if derivation.chance(0.3):
        years = derivation.pick(AGES)
        use = use._replace(adverb=None)
        sides = predicates.age(derivation, subject.agreement, use, years)
    else:
        state = derivation.pick(AVOIR_STATES)
        sides = predicates.having(derivation, subject.agreement, use, state)
    return _put(subject, use, sides)


def raining(derivation: Derivation, setting: Setting) -> TensedClause:
    """*It is raining*, *It was cold*."""
    link = (derivation.link(),)
    it = Phrase([Word("it", PRON, link)], [Word("il", PRON, link)], Agreement(2, False, False))
    if derivation.chance(0.5):
        use = draw_use(derivation, setting, ACTION[:5])
        return _put(it, use, predicates.doing(derivation, derivation.pick(WEATHER), it[2], use))
    use = draw_use(derivation, setting, STATE)
    own, state = links(derivation), (derivation.link(),)
    words = derivation.pick(WEATHER_STATES)
    english = [*copula(2, use, own), Word(words[0], ADJ, state)]
    finite = simple(FAIRE, 2, use.tense, own)
    return _put(it, use, (english, [*negate([finite], use, own), Word(words[1], ADJ, state)]))


def thinking(derivation: Derivation, setting: Setting) -> TensedClause:
    """*I think that the cat sleeps*."""
    use = Use(Tense.PRESENT, asked=setting.asked)
    subject = subject_phrase(derivation, ("person",), use)
    verb = derivation.pick(THINKING)
    inner = statement(derivation.pick(_SIMPLE)(derivation, STATEMENT).clause)
    sides = predicates.thinking(derivation, verb, subject.agreement, use, inner)
    return _put(subject, use, sides)


def statement(clause: Clause) -> Sides:
    """Subject first, in both languages."""
    return clause.subject.english + clause.english, clause.subject.french + clause.french


Maker = Callable[[Derivation, Setting], TensedClause]

_SIMPLE: tuple[Maker, ...] = (acting, acting, acting, moving, describing, standing, going)

CLAUSES: tuple[tuple[float, Maker], ...] = (
    (0.44, acting),
    (0.58, moving),
    (0.65, going),
    (0.71, meeting),
    (0.78, giving),
    (0.88, describing),
    (0.92, standing),
    (0.95, feeling),
    (0.97, raining),
    (1.00, thinking),
)
