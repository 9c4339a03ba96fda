"""Sentences built rule by rule, against French and English written by hand."""

import pytest

from regard.data.grammar.lexicon.determiners import (
    ALL_THE,
    COUNTED,
    MANY,
    MY,
    NOT_A,
    NOT_ANY,
    PRONOUN,
    SOME,
    SOME_STUFF,
    THE,
    THIS,
    A,
)
from regard.data.grammar.lexicon.nouns import ADJECTIVE, NOUN, PEOPLE
from regard.data.grammar.lexicon.particles import FREQUENCY
from regard.data.grammar.lexicon.verbs import (
    GIVING,
    GOING_PLACES,
    INTRANSITIVE,
    TRANSITIVES,
    Negation,
    Tense,
)
from regard.data.grammar.pair import align, source_words, target_words
from regard.data.grammar.rules import phrases, predicates
from regard.data.grammar.rules.phrases import Described, noun_group
from regard.data.grammar.rules.questions import question
from regard.data.grammar.rules.verbs import Use
from regard.data.grammar.words import Clause

OFTEN = FREQUENCY[0]
VERBS = {verb.english.base + (verb.english.particle or ""): verb for verb in INTRANSITIVE}


def written(english, french):
    return align(source_words(english, sentence=False), target_words(french, sentence=False))


NOUN_GROUPS = [
    (
        THE,
        Described(NOUN["dress"], False, after=ADJECTIVE["red"]),
        "the red dress",
        "la robe rouge",
    ),
    (
        THE,
        Described(NOUN["dog"], False, before=ADJECTIVE["small"]),
        "the small dog",
        "le petit chien",
    ),
    (A, Described(NOUN["man"], False, before=ADJECTIVE["old"]), "an old man", "un vieil homme"),
    (A, Described(NOUN["uniform"], False), "a uniform", "un uniforme"),
    (
        A,
        Described(NOUN["man"], False, after=ADJECTIVE["honest"]),
        "an honest man",
        "un homme honnête",
    ),
    (THIS, Described(NOUN["bird"], False), "this bird", "cet oiseau"),
    (THIS, Described(NOUN["hero"], False), "this hero", "ce héros"),
    (THIS, Described(NOUN["bee"], True), "these bees", "ces abeilles"),
    (MY, Described(NOUN["school"], False), "my school", "mon école"),
    (
        MY,
        Described(NOUN["school"], False, before=ADJECTIVE["old"]),
        "my old school",
        "ma vieille école",
    ),
    (
        SOME,
        Described(NOUN["dog"], True, before=ADJECTIVE["big"]),
        "some big dogs",
        "de grands chiens",
    ),
    (
        SOME,
        Described(NOUN["owl"], True, after=ADJECTIVE["brown"]),
        "some brown owls",
        "des hiboux marron",
    ),
    (SOME_STUFF, Described(NOUN["water"], False), "some water", "de l'eau"),
    (SOME_STUFF, Described(NOUN["bread"], False), "some bread", "du pain"),
    (SOME_STUFF, Described(NOUN["soup"], False), "some soup", "de la soupe"),
    (MANY, Described(NOUN["egg"], True), "many eggs", "beaucoup d'œufs"),
    (ALL_THE, Described(NOUN["cow"], True), "all the cows", "toutes les vaches"),
    (
        COUNTED[0],
        Described(NOUN["horse"], True, after=ADJECTIVE["white"]),
        "two white horses",
        "deux chevaux blancs",
    ),
    (
        THE,
        Described(NOUN["child"], False, ADJECTIVE["other"], ADJECTIVE["happy"]),
        "the other happy child",
        "l'autre enfant heureux",
    ),
]


@pytest.mark.parametrize(("determiner", "described", "english", "french"), NOUN_GROUPS)
def test_noun_groups_agree_and_order_their_adjectives(
    derivation, determiner, described, english, french
):
    phrase = noun_group(derivation, determiner, described)
    pair = written(phrase.english, phrase.french)
    assert (pair.source_text, pair.target_text) == (english, french)


LOVING = [
    ("I", "love", "she", Use(Tense.PRESENT), "I love her", "je l'aime"),
    ("we", "see", "she", Use(Tense.PAST), "we saw her", "nous l'avons vue"),
    ("they", "see", "we", Use(Tense.PERFECT), "they have seen us", "ils nous ont vus"),
    ("she", "know", "he", Use(Tense.PAST), "she knew him", "elle le connaissait"),
    ("you", "call", "they", Use(Tense.FUTURE), "you will call them", "tu les appelleras"),
    ("he", "help", "you", Use(Tense.GOING), "he is going to help you", "il va t'aider"),
    ("I", "see", "she", Use(Tense.PAST, Negation.NOT), "I did not see her", "je ne l'ai pas vue"),
    (
        "he",
        "invite",
        "I",
        Use(Tense.CAN, Negation.NOT),
        "he cannot invite me",
        "il ne peut pas m'inviter",
    ),
    (
        "she",
        "follow",
        "he",
        Use(Tense.PRESENT, Negation.NEVER),
        "she never follows him",
        "elle ne le suit jamais",
    ),
    (
        "we",
        "hear",
        "they",
        Use(Tense.PRESENT, Negation.NO_LONGER),
        "we no longer hear them",
        "nous ne les entendons plus",
    ),
    (
        "I",
        "help",
        "they",
        Use(Tense.PAST, adverb=OFTEN),
        "I often helped them",
        "je les ai souvent aidés",
    ),
    (
        "they",
        "understand",
        "I",
        Use(Tense.WANT, Negation.NOT),
        "they do not want to understand me",
        "ils ne veulent pas me comprendre",
    ),
    ("we", "chase", "he", Use(Tense.MUST), "we must chase him", "nous devons le poursuivre"),
    ("you", "protect", "she", Use(Tense.PROGRESSIVE), "you are protecting her", "tu la protèges"),
]


@pytest.mark.parametrize(("subject", "verb", "whom", "use", "english", "french"), LOVING)
def test_pronouns_and_negation_stand_around_the_verb(
    derivation, subject, verb, whom, use, english, french
):
    who = phrases.pronoun(derivation, PRONOUN[subject])
    sides = predicates.doing_to_pronoun(
        derivation, TRANSITIVES[verb], who.agreement, use, PRONOUN[whom]
    )
    pair = written(who.english + sides[0], who.french + sides[1])
    assert (pair.source_text, pair.target_text) == (english, french)


MOVING = [
    ("she", "arrive", Use(Tense.PAST), "she arrived", "elle est arrivée"),
    (
        "they",
        "leave",
        Use(Tense.PAST, Negation.NOT),
        "they did not leave",
        "ils ne sont pas partis",
    ),
    ("we", "getup", Use(Tense.PAST), "we got up", "nous nous sommes levés"),
    ("I", "rest", Use(Tense.WANT), "I want to rest", "je veux me reposer"),
    (
        "she",
        "stop",
        Use(Tense.PAST, Negation.NEVER),
        "she never stopped",
        "elle ne s'est jamais arrêtée",
    ),
    ("he", "comeback", Use(Tense.FUTURE), "he will come back", "il reviendra"),
    ("we", "start", Use(Tense.PRESENT), "we start", "nous commençons"),
    ("we", "swim", Use(Tense.PRESENT), "we swim", "nous nageons"),
]


@pytest.mark.parametrize(("subject", "verb", "use", "english", "french"), MOVING)
def test_verbs_with_etre_and_reflexive_verbs_agree(derivation, subject, verb, use, english, french):
    who = phrases.pronoun(derivation, PRONOUN[subject])
    sides = predicates.doing(derivation, VERBS[verb], who.agreement, use)
    pair = written(who.english + sides[0], who.french + sides[1])
    assert (pair.source_text, pair.target_text) == (english, french)


@pytest.mark.parametrize(
    ("determiner", "noun", "plural", "english", "french"),
    [
        (NOT_A, "apple", False, "you do not eat an apple", "tu ne manges pas de pomme"),
        (NOT_ANY, "orange", True, "you do not eat any oranges", "tu ne manges pas d'oranges"),
        (THE, "bread", False, "you do not eat the bread", "tu ne manges pas le pain"),
    ],
)
def test_under_negation_an_indefinite_object_takes_de(
    derivation, determiner, noun, plural, english, french
):
    who = phrases.pronoun(derivation, PRONOUN["you"])
    what = noun_group(derivation, determiner, Described(NOUN[noun], plural))
    use = Use(Tense.PRESENT, Negation.NOT)
    sides = predicates.doing_to(derivation, TRANSITIVES["eat"], who.agreement, use, what)
    pair = written(who.english + sides[0], who.french + sides[1])
    assert (pair.source_text, pair.target_text) == (english, french)


def test_of_the_is_one_french_word(derivation):
    who = phrases.name(derivation, PEOPLE[0])
    come = next(entry for entry in GOING_PLACES if entry.english == "from")
    where = noun_group(derivation, THE, Described(NOUN["market"], plural=False))
    sides = predicates.doing_with(derivation, come, who.agreement, Use(Tense.PAST), where)
    pair = written(who.english + sides[0], who.french + sides[1])
    assert pair.source == ("Mary", "came", "from", "the", "market")
    assert pair.target == ("Marie", "est", "venue", "du", "marché")
    assert pair.alignment == {(0, 0), (1, 1), (1, 2), (2, 3), (3, 3), (4, 4)}


@pytest.mark.parametrize(
    ("whom", "english", "french"),
    [
        ("he", "she gave him the key", "elle lui a donné la clé"),
        ("they", "she gave them the key", "elle leur a donné la clé"),
        (None, "she gave the key to Mary", "elle a donné la clé à Marie"),
    ],
)
def test_a_receiver_is_a_clitic_or_follows_a(derivation, whom, english, french):
    who = phrases.pronoun(derivation, PRONOUN["she"])
    what = noun_group(derivation, THE, Described(NOUN["key"], plural=False))
    receiver = phrases.name(derivation, PEOPLE[0]) if whom is None else PRONOUN[whom]
    use = Use(Tense.PAST)
    sides = predicates.giving(derivation, GIVING[0], who.agreement, use, what, receiver)
    pair = written(who.english + sides[0], who.french + sides[1])
    assert (pair.source_text, pair.target_text) == (english, french)


def test_the_fronted_auxiliary_is_the_question(derivation):
    who = phrases.pronoun(derivation, PRONOUN["he"])
    use = Use(Tense.PAST, asked=True)
    mouse = noun_group(derivation, THE, Described(NOUN["mouse"], plural=True))
    sides = predicates.doing_to(derivation, TRANSITIVES["eat"], who.agreement, use, mouse)
    pair = written(*question(derivation, Clause(who, *sides)))
    assert pair.source == ("did", "he", "eat", "the", "mice")
    assert pair.target == ("est", "-ce", "qu'", "il", "a", "mangé", "les", "souris")
    fronted = {(0, 0), (0, 1), (0, 2), (0, 4)}
    assert pair.alignment == fronted | {(1, 3), (2, 5), (3, 6), (4, 7)}


def test_an_object_that_went_before_makes_the_participle_agree(derivation):
    who = phrases.pronoun(derivation, PRONOUN["I"])
    apples = noun_group(derivation, THE, Described(NOUN["apple"], plural=True))
    sides = predicates.doing_before(
        derivation, TRANSITIVES["eat"], who.agreement, Use(Tense.PAST), apples.agreement
    )
    pair = written(who.english + sides[0], who.french + sides[1])
    assert pair.target_text == "j'ai mangées"
