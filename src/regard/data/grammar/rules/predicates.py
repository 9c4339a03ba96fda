"""What is said of a subject: doing, giving, going, being and having."""

from ..derivation import Derivation
from ..lexicon.determiners import Pronoun
from ..lexicon.nouns import Adjective
from ..lexicon.particles import Particle, Preposition
from ..lexicon.verbs import AVOIR, ETRE, Complement, Verb
from ..words import ADJ, ADP, ADV, AUX, NOUN, NUM, PRON, SCONJ, VERB, Agreement, Phrase, Word
from .phrases import grade
from .verbs import Use, copula, english_group, french_group, links, negate, simple

Sides = tuple[list[Word], list[Word]]
"""Words of English and of French."""


def doing(derivation: Derivation, verb: Verb, subject: Agreement, use: Use) -> Sides:
    """A verb alone: *sleeps*, *dort*."""
    own = links(derivation)
    english = english_group(verb.english, subject.person, use, own)
    return english, french_group(verb, subject, use, own)


def doing_to(
    derivation: Derivation, verb: Verb, subject: Agreement, use: Use, what: Phrase
) -> Sides:
    """A verb and its object: *ate the mouse*, *a mangé la souris*."""
    english, french = doing(derivation, verb, subject, use)
    return english + what.english, french + what.french


def doing_to_pronoun(
    derivation: Derivation, verb: Verb, subject: Agreement, use: Use, what: Pronoun
) -> Sides:
    """A verb and a pronoun, which French puts first: *loves you*, *t'aime*."""
    own, link = links(derivation), (derivation.link(),)
    english = english_group(verb.english, subject.person, use, own)
    clitic = Word(what.direct[1], PRON, link)
    french = french_group(verb, subject, use, own, clitics=(clitic,), preceding=what.agreement)
    return [*english, Word(what.direct[0], PRON, link)], french


def doing_before(
    derivation: Derivation, verb: Verb, subject: Agreement, use: Use, what: Agreement
) -> Sides:
    """A verb whose object came before it: *(the apple that) I ate*, *(que) j'ai mangée*."""
    own = links(derivation)
    english = english_group(verb.english, subject.person, use, own)
    return english, french_group(verb, subject, use, own, preceding=what)


def giving(
    derivation: Derivation,
    verb: Verb,
    subject: Agreement,
    use: Use,
    what: Phrase,
    receiver: Phrase | Pronoun,
) -> Sides:
    """*gives the book to the girl*, *gives her the book*: *donne … à la fille*, *lui donne …*."""
    own, link = links(derivation), (derivation.link(),)
    english = english_group(verb.english, subject.person, use, own)
    if isinstance(receiver, Pronoun):
        clitic = Word(receiver.indirect[1], PRON, link)
        french = french_group(verb, subject, use, own, clitics=(clitic,))
        return [*english, Word(receiver.indirect[0], PRON, link), *what.english], (
            french + what.french
        )
    french = french_group(verb, subject, use, own)
    return (
        [*english, *what.english, Word("to", ADP, link), *receiver.english],
        [*french, *what.french, Word("à", ADP, link), *receiver.french],
    )


def doing_with(
    derivation: Derivation, complement: Complement, subject: Agreement, use: Use, whom: Phrase
) -> Sides:
    """A verb and its complement after a preposition: *goes to the market*, *va au marché*."""
    english, french = doing(derivation, complement.verb, subject, use)
    link = (derivation.link(),)
    return (
        [*english, Word(complement.english, ADP, link), *whom.english],
        [*french, Word(complement.french, ADP, link), *whom.french],
    )


def being(derivation: Derivation, subject: Agreement, use: Use, what: Sides) -> Sides:
    """*is* and what follows it."""
    own = links(derivation)
    finite = simple(ETRE, subject.person, use.tense, own, AUX)
    english = copula(subject.person, use, own) + what[0]
    return english, negate([finite], use, own) + what[1]


def adjectival(
    derivation: Derivation, adjective: Adjective, subject: Agreement, degree: Particle | None
) -> Sides:
    """An adjective that agrees with the subject."""
    form = adjective.form(feminine=subject.feminine, plural=subject.plural)
    return grade(derivation, adjective.english, form, degree)


def comparison(
    derivation: Derivation, adjective: Adjective, subject: Agreement, other: Phrase
) -> Sides:
    """*bigger than the dog*, *plus grand que le chien*."""
    own, more, than = derivation.link(), derivation.link(), (derivation.link(),)
    form = adjective.form(feminine=subject.feminine, plural=subject.plural)
    if adjective.comparative:
        english = [Word(adjective.comparative, ADJ, (own, more))]
    else:
        english = [Word("more", ADV, (more,)), Word(adjective.english, ADJ, (own,))]
    french = [Word("plus", ADV, (more,)), Word(form, ADJ, (own,))]
    return (
        [*english, Word("than", ADP, than), *other.english],
        [*french, Word("que", SCONJ, than), *other.french],
    )


def having(derivation: Derivation, subject: Agreement, use: Use, state: tuple[str, str]) -> Sides:
    """States that French has and English is: *is hungry*, *a faim*."""
    own, link = links(derivation), (derivation.link(),)
    finite = simple(AVOIR, subject.person, use.tense, own)
    english = [*copula(subject.person, use, own), Word(state[0], ADJ, link)]
    return english, [*negate([finite], use, own), Word(state[1], NOUN, link)]


def age(derivation: Derivation, subject: Agreement, use: Use, years: tuple[str, str]) -> Sides:
    """*is twenty years old*, *a vingt ans*."""
    own = links(derivation)
    number, link = (derivation.link(),), (derivation.link(),)
    finite = simple(AVOIR, subject.person, use.tense, own)
    english = [
        *copula(subject.person, use, own),
        Word(years[0], NUM, number),
        Word("years", NOUN, link),
        Word("old", ADJ, link),
    ]
    french = [*negate([finite], use, own), Word(years[1], NUM, number), Word("ans", NOUN, link)]
    return english, french


def location(derivation: Derivation, preposition: Preposition, where: Phrase) -> Sides:
    """*in front of the house*, *devant la maison*: the words of a preposition are one."""
    link = (derivation.link(),)
    first = [ADP] * len(preposition.english)
    if len(first) == 3:
        first[1] = NOUN
    second = [ADV, ADP] if len(preposition.french) == 2 else [ADP]
    english = [Word(t, g, link) for t, g in zip(preposition.english, first, strict=True)]
    french = [Word(t, g, link) for t, g in zip(preposition.french, second, strict=True)]
    return english + where.english, french + where.french


def adverbial(derivation: Derivation, adverb: Particle) -> Sides:
    """One adverb."""
    link = (derivation.link(),)
    return [Word(adverb.english, ADV, link)], [Word(adverb.french, ADV, link)]


def thinking(
    derivation: Derivation, verb: Verb, subject: Agreement, use: Use, clause: Sides
) -> Sides:
    """*thinks that the cat sleeps*, *pense que le chat dort*."""
    english, french = doing(derivation, verb, subject, use)
    link = (derivation.link(),)
    return (
        [*english, Word("that", SCONJ, link), *clause[0]],
        [*french, Word("que", SCONJ, link), *clause[1]],
    )


def ordering(derivation: Derivation, verb: Verb, person: int, use: Use) -> Sides:
    """The imperative: *do not open*, *n'ouvre pas*; *tu* loses the s of *-es*."""
    own = links(derivation)
    english = english_group(verb.english, person, use, own)
    form = verb.french.present[person]
    bare = form.removesuffix("s") if form.endswith("es") else form
    return english, negate([Word(bare, VERB, (own.main,))], use, own)


def existing(derivation: Derivation, use: Use, what: Phrase) -> Sides:
    """*There is a cat*, *Il y a un chat*; denied, *no* is all of *ne*, *pas* and *de*."""
    there, own = (derivation.link(),), links(derivation)
    if use.negation is not None:
        own = own._replace(negation=what.english[0].links[0])
    person = 5 if what.agreement.plural else 2
    *helper, be = copula(person, use._replace(negation=None), own)
    english = [Word("there", PRON, there), *helper, be._replace(tag=VERB)]
    finite = [Word("y", PRON, there), simple(AVOIR, 2, use.tense, own)]
    french = [Word("il", PRON, there), *negate(finite, use, own)]
    return english + what.english, french + what.french
