"""Verb groups: tense, negation and frequency around a verb, in both languages at once."""

from typing import NamedTuple

from ..derivation import Derivation
from ..lexicon.determiners import REFLEXIVE
from ..lexicon.particles import Particle
from ..lexicon.verbs import (
    ALLER,
    AVOIR,
    DEVOIR,
    ETRE,
    POUVOIR,
    VOULOIR,
    EnglishVerb,
    FrenchVerb,
    Negation,
    Tense,
    Verb,
)
from ..words import ADV, AUX, PART, PRON, VERB, Agreement, Word


class Use(NamedTuple):
    """How a verb is used."""

    tense: Tense
    negation: Negation | None = None
    adverb: Particle | None = None
    asked: bool = False
    """Whether English needs an auxiliary to put before the subject."""


class Links(NamedTuple):
    """The links of one verb group: what is done, when, denied how, how often."""

    main: int
    auxiliary: int
    negation: int
    adverb: int


# One sees; nobody "is seeing".
_PERCEIVED = frozenset({"see", "hear", "understand"})
_LED = {Tense.GOING: ALLER, Tense.CAN: POUVOIR, Tense.MUST: DEVOIR, Tense.WANT: VOULOIR}
_BE = ("am", "are", "is", "are", "are", "are")
_WAS = ("was", "were", "was", "were", "were", "were")
_NEGATIONS = {
    Negation.NOT: ((("not", PART),), "pas"),
    Negation.NEVER: ((("never", ADV),), "jamais"),
    Negation.NO_LONGER: ((("no", ADV), ("longer", ADV)), "plus"),
}


def links(derivation: Derivation) -> Links:
    """Fresh links for one verb group."""
    link = derivation.link
    return Links(link(), link(), link(), link())


def settled(verb: Verb, use: Use) -> Use:
    """``use`` in a tense whose English has one reading: *I read* is never a past."""
    english = verb.english
    if use.tense is Tense.PAST and english.past == english.base:
        return use._replace(tense=Tense.PERFECT)
    if use.tense is Tense.PROGRESSIVE and english.base in _PERCEIVED:
        return use._replace(tense=Tense.PRESENT)
    if verb.stative and use.tense in (Tense.PROGRESSIVE, Tense.PERFECT, Tense.CAN):
        return use._replace(tense=Tense.PRESENT)
    return use


def english_group(verb: EnglishVerb, person: int, use: Use, links: Links) -> list[Word]:
    """*does not often eat*: auxiliary, negation, adverb, and the verb with its particle."""
    helper, rest = _helper_and_rest(verb, person, use, links)
    main = (links.main,)
    if verb.particle is not None:
        rest.append(Word(verb.particle, "ADP", main))
    return [*place_adverb(helper, use, links), *rest]


def place_adverb(helper: list[Word], use: Use, links: Links) -> list[Word]:
    """The auxiliary with the negation and the adverb that come after it."""
    result = list(helper)
    if use.negation is not None:
        words, _ = _NEGATIONS[use.negation]
        result += [Word(text, tag, (links.negation,)) for text, tag in words]
    if use.adverb is not None:
        result.append(Word(use.adverb.english, ADV, (links.adverb,)))
    cannot = len(result) > 1 and result[0].text == "can" and result[1].text == "not"
    if cannot and not use.asked:
        result[:2] = [Word("cannot", AUX, (links.auxiliary, links.negation))]
    return result


def _helper_and_rest(
    verb: EnglishVerb, person: int, use: Use, links: Links
) -> tuple[list[Word], list[Word]]:
    """The auxiliary, if there is one, and the rest of the group."""
    main, auxiliary = (links.main,), (links.auxiliary,)
    base = Word(verb.base, VERB, main)
    third = person == 2
    match use.tense:
        case Tense.PROGRESSIVE:
            return [Word(_BE[person], AUX, main)], [Word(verb.progressive, VERB, main)]
        case Tense.PERFECT:
            have = Word("has" if third else "have", AUX, auxiliary)
            return [have], [Word(verb.participle, VERB, main)]
        case Tense.FUTURE:
            return [Word("will", AUX, main)], [base]
        case Tense.CAN | Tense.MUST:
            return [Word(use.tense.name.lower(), AUX, auxiliary)], [base]
        case Tense.GOING:
            going = Word("going", VERB, auxiliary)
            return [Word(_BE[person], AUX, auxiliary)], [going, Word("to", PART, main), base]
    return _supported(verb, use, links, third=third)


def _supported(
    verb: EnglishVerb, use: Use, links: Links, *, third: bool
) -> tuple[list[Word], list[Word]]:
    """Present, past and *want to*, which take *do* in questions and before *not*."""
    main, auxiliary = (links.main,), (links.auxiliary,)
    do = use.asked or use.negation is Negation.NOT
    if use.tense is Tense.PAST:
        if do:
            return [Word("did", AUX, auxiliary)], [Word(verb.base, VERB, main)]
        return [], [Word(verb.past, VERB, (links.main, links.auxiliary))]
    if use.tense is Tense.WANT:
        want = Word("wants" if third and not do else "want", VERB, auxiliary)
        rest = [want, Word("to", PART, main), Word(verb.base, VERB, main)]
        return ([Word("does" if third else "do", AUX, auxiliary)] if do else []), rest
    if do:
        return [Word("does" if third else "do", AUX, main)], [Word(verb.base, VERB, main)]
    return [], [Word(verb.third if third else verb.base, VERB, main)]


def french_group(
    verb: Verb,
    subject: Agreement,
    use: Use,
    links: Links,
    *,
    clitics: tuple[Word, ...] = (),
    preceding: Agreement | None = None,
) -> list[Word]:
    """*ne l'a pas souvent vue*: clitics and negation around the finite verb.

    Args:
        verb: the verb.
        subject: what the verb agrees with, and with *être* the participle.
        use: tense, negation and adverb.
        links: the links of the group.
        clitics: object pronouns.
        preceding: the direct object, if it comes before the verb: with *avoir* the participle
            agrees with it.
    """
    french, person = verb.french, subject.person
    main = (links.main,)
    if french.reflexive:
        clitics = (Word(REFLEXIVE[person], PRON, main),)
    lead = _LED.get(use.tense)
    if lead is not None:
        finite = Word(lead.present[person], VERB, (links.auxiliary,))
        return [*negate([finite], use, links), *clitics, Word(french.infinitive, VERB, main)]
    if use.tense is Tense.PERFECT or (use.tense is Tense.PAST and not verb.stative):
        helper = ETRE if french.auxiliary == "être" else AVOIR
        agreed = subject if helper is ETRE else preceding
        finite = Word(helper.present[person], AUX, (links.auxiliary,))
        participle = Word(participle_form(french, agreed), VERB, main)
        return [*negate([*clitics, finite], use, links), participle]
    return negate([*clitics, simple(french, person, use.tense, links)], use, links)


def simple(french: FrenchVerb, person: int, tense: Tense, links: Links, tag: str = VERB) -> Word:
    """Present, future, or for a state the imperfect."""
    match tense:
        case Tense.FUTURE:
            return Word(french.future[person], tag, (links.main,))
        case Tense.PAST:
            return Word(french.imperfect[person], tag, (links.main, links.auxiliary))
    return Word(french.present[person], tag, (links.main,))


def participle_form(french: FrenchVerb, agreed: Agreement | None) -> str:
    """The past participle, agreeing if there is something to agree with."""
    if agreed is None:
        return french.participle[0]
    return french.participle[2 * agreed.plural + agreed.feminine]


def negate(words: list[Word], use: Use, links: Links) -> list[Word]:
    """Clitics and finite verb between *ne* and *pas*, followed by the adverb."""
    if use.negation is not None:
        own = (links.negation,)
        second = Word(_NEGATIONS[use.negation][1], ADV, own)
        words = [Word("ne", ADV, own), *words, second]
    if use.adverb is not None:
        words = [*words, Word(use.adverb.french, ADV, (links.adverb,))]
    return words


def copula(person: int, use: Use, links: Links) -> list[Word]:
    """The English *be* of present, past and future."""
    main = (links.main,)
    if use.tense is Tense.FUTURE:
        return [*place_adverb([Word("will", AUX, main)], use, links), Word("be", AUX, main)]
    forms = _WAS if use.tense is Tense.PAST else _BE
    return place_adverb([Word(forms[person], AUX, (links.main, links.auxiliary))], use, links)
