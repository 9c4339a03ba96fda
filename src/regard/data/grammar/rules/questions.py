"""Questions: with *est-ce que*, and with a question word before it."""

from collections.abc import Callable

from ..derivation import Derivation
from ..lexicon.determiners import DEFINITE, WHICH
from ..lexicon.nouns import NOUNS
from ..lexicon.particles import QUESTIONS
from ..lexicon.verbs import ETRE, INTRANSITIVE, TRANSITIVE, Verb
from ..words import ADJ, ADP, ADV, AUX, NOUN, PRON, SCONJ, Agreement, Clause, Phrase, Word
from . import predicates
from .clauses import action, draw_clause
from .phrases import describe, noun_group, noun_phrase
from .predicates import Sides
from .settings import ACTION, DONE_TO, QUESTION, STATE, Setting, draw_use, subject_phrase
from .verbs import Use, copula, links, settled, simple

_SOMEBODY = Agreement(2, False, False)
_ASKED = Setting(negatable=False, asked=True)
_OBJECTS = ("food", "clothes", "thing", "reading", "animal", "place")


def question(derivation: Derivation, clause: Clause) -> Sides:
    """*Does the cat sleep*, *Est-ce que le chat dort*: the auxiliary goes to the front.

    The auxiliary is what makes it a question, so it is aligned with *est-ce que* too.
    """
    link = derivation.link()
    helper, *rest = clause.english
    helper = helper._replace(links=(*helper.links, link))
    own = (link,)
    marker = [Word("est", AUX, own), Word("-ce", PRON, own), Word("que", SCONJ, own)]
    english = [helper, *clause.subject.english, *rest]
    return english, [*marker, *clause.subject.french, *clause.french]


def whether(derivation: Derivation) -> Sides:
    """*Did the black cat eat the mouse?*"""
    return question(derivation, draw_clause(derivation, QUESTION).clause)


def circumstance(derivation: Derivation) -> Sides:
    """*Why does he laugh?*, *Where did she buy the dress?*"""
    link = (derivation.link(),)
    english, french = derivation.pick(QUESTIONS)
    verb = derivation.pick(INTRANSITIVE if derivation.chance(0.4) else TRANSITIVE)
    subject, use = _subject_and_use(derivation, verb, _ASKED)
    if verb.objects:
        what = noun_phrase(derivation, verb.objects, DEFINITE)
        sides = predicates.doing_to(derivation, verb, subject.agreement, use, what)
    else:
        sides = predicates.doing(derivation, verb, subject.agreement, use)
    first, second = question(derivation, Clause(subject, *sides))
    return [Word(english, ADV, link), *first], [Word(french, ADV, link), *second]


def what(derivation: Derivation) -> Sides:
    """*What did you see?*, *Qu'est-ce que tu as vu ?*; *whom* likewise, with *qui*."""
    verb = derivation.pick(TRANSITIVE)
    subject, use = _subject_and_use(derivation, verb, _ASKED)
    link = (derivation.link(),)
    person = "person" in verb.objects and derivation.chance(0.5)
    sides = predicates.doing_before(derivation, verb, subject.agreement, use, _SOMEBODY)
    english, french = question(derivation, Clause(subject, *sides))
    words = ("whom", "qui") if person else ("what", "que")
    return [Word(words[0], PRON, link), *english], [Word(words[1], PRON, link), *french]


def who(derivation: Derivation) -> Sides:
    """*Who ate the mouse?*, *Qui a mangé la souris ?*"""
    verb = derivation.pick(TRANSITIVE)
    use = settled(verb, draw_use(derivation, Setting(), ACTION))
    link = (derivation.link(),)
    subject = Phrase([Word("who", PRON, link)], [Word("qui", PRON, link)], _SOMEBODY)
    english, french = action(derivation, verb, subject, use)
    return subject.english + english, subject.french + french


def which(derivation: Derivation) -> Sides:
    """*Which apples did he eat?*, *Quelles pommes est-ce qu'il a mangées ?*"""
    kind = derivation.pick(_OBJECTS)
    plural = derivation.chance(0.3)
    thing = noun_group(derivation, WHICH, describe(derivation, kind, WHICH, plural=plural))
    return _object_first(derivation, kind, thing)


def how_many(derivation: Derivation) -> Sides:
    """*How many apples did he eat?*, *Combien de pommes est-ce qu'il a mangées ?*"""
    kind = derivation.pick(_OBJECTS)
    noun = derivation.pick(NOUNS[kind])
    count, link = (derivation.link(),), (derivation.link(),)
    english = [Word("how", ADV, count), Word("many", ADJ, count)]
    french = [Word("combien", ADV, count), Word("de", ADP, count)]
    things = Phrase(
        [*english, Word(noun.english[1], NOUN, link)],
        [*french, Word(noun.french[1], NOUN, link)],
        Agreement(5, noun.feminine, True),
    )
    return _object_first(derivation, kind, things)


def where_is(derivation: Derivation) -> Sides:
    """*Where is the key?*, *Où est la clé ?*"""
    use = Use(derivation.weighted(STATE))
    link, own = (derivation.link(),), links(derivation)
    kinds = ("person", "animal", "thing", "clothes", "place")
    subject = noun_phrase(derivation, kinds, DEFINITE)
    helper, *rest = copula(subject.agreement.person, use, own)
    finite = simple(ETRE, subject.agreement.person, use.tense, own, AUX)
    return (
        [Word("where", ADV, link), helper, *subject.english, *rest],
        [Word("où", ADV, link), finite, *subject.french],
    )


def _object_first(derivation: Derivation, kind: str, thing: Phrase) -> Sides:
    """A question whose object stands at the front, for the participle to agree with."""
    verb = derivation.pick(DONE_TO[kind])
    subject, use = _subject_and_use(derivation, verb, _ASKED)
    sides = predicates.doing_before(derivation, verb, subject.agreement, use, thing.agreement)
    english, french = question(derivation, Clause(subject, *sides))
    return thing.english + english, thing.french + french


def _subject_and_use(derivation: Derivation, verb: Verb, setting: Setting) -> tuple[Phrase, Use]:
    use = settled(verb, draw_use(derivation, setting, ACTION))
    return subject_phrase(derivation, verb.subjects, use), use


QUESTIONERS: tuple[tuple[float, Callable[[Derivation], Sides]], ...] = (
    (0.42, whether),
    (0.60, circumstance),
    (0.72, what),
    (0.82, who),
    (0.89, which),
    (0.95, how_many),
    (1.00, where_is),
)
