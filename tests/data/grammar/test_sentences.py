"""What is larger than a verb group: rows, orders, existence, and politeness."""

import re

import pytest

from regard.data.grammar.lexicon.determiners import NO, THE
from regard.data.grammar.lexicon.nouns import ADJECTIVE, NOUN
from regard.data.grammar.lexicon.verbs import TRANSITIVES, Negation, Tense
from regard.data.grammar.pair import align, source_words, target_words
from regard.data.grammar.rules import predicates
from regard.data.grammar.rules.phrases import Described, noun_group, row_of
from regard.data.grammar.rules.verbs import Use


def written(english, french):
    return align(source_words(english, sentence=False), target_words(french, sentence=False))


@pytest.mark.parametrize(
    ("nouns", "french"),
    [
        (("queen", "nurse"), "la reine et l'infirmière sont heureuses"),
        (("queen", "king"), "la reine et le roi sont heureux"),
        (("girl", "cow", "bee"), "la fille, la vache et l'abeille sont heureuses"),
    ],
)
def test_a_row_is_feminine_only_if_all_of_it_is(derivation, nouns, french):
    row = row_of(
        derivation,
        [noun_group(derivation, THE, Described(NOUN[noun], plural=False)) for noun in nouns],
    )
    happy = predicates.adjectival(derivation, ADJECTIVE["happy"], row.agreement, None)
    sides = predicates.being(derivation, row.agreement, Use(Tense.PRESENT), happy)
    pair = written(row.english + sides[0], row.french + sides[1])
    assert pair.target_text == french
    assert pair.source[-2:] == ("are", "happy")


@pytest.mark.parametrize(
    ("person", "negation", "english", "french"),
    [
        (1, None, "open", "ouvre"),
        (1, Negation.NOT, "do not open", "n'ouvre pas"),
        (4, None, "open", "ouvrez"),
    ],
)
def test_an_order_to_one_friend_has_no_s(derivation, person, negation, english, french):
    use = Use(Tense.PRESENT, negation)
    pair = written(*predicates.ordering(derivation, TRANSITIVES["open"], person, use))
    assert (pair.source_text, pair.target_text) == (english, french)


def test_no_is_all_of_ne_and_pas_and_de(derivation):
    what = noun_group(derivation, NO, Described(NOUN["elephant"], plural=False))
    use = Use(Tense.PRESENT, Negation.NOT)
    pair = written(*predicates.existing(derivation, use, what))
    assert pair.source == ("there", "is", "no", "elephant")
    assert pair.target == ("il", "n'", "y", "a", "pas", "d'", "éléphant")
    assert pair.alignment == {(0, 0), (0, 2), (1, 3), (2, 1), (2, 4), (2, 5), (3, 6)}


def test_a_bigger_cat_takes_two_words(derivation):
    dog = noun_group(derivation, THE, Described(NOUN["dog"], plural=False))
    cow = noun_group(derivation, THE, Described(NOUN["cow"], plural=False))
    what = predicates.comparison(derivation, ADJECTIVE["big"], cow.agreement, dog)
    pair = written(*what)
    assert pair.target_text == "plus grande que le chien"
    assert pair.alignment == {(0, 0), (0, 1), (1, 2), (2, 3), (3, 4)}


def test_you_is_vous_exactly_where_somebody_is_addressed(pairs):
    polite = re.compile(r"(Monsieur|Madame|Messieurs|Mesdames|Les enfants), ")
    formal, familiar = {"vous", "votre", "vos"}, {"tu", "te", "t'", "toi", "ton", "ta", "tes"}
    addressed = 0
    for pair in pairs:
        if not {"you", "your"} & {word.lower() for word in pair.source}:
            continue
        words = {word.lower() for word in pair.target}
        if polite.match(pair.target_text):
            assert words & formal, pair
            assert not words & familiar, pair
            addressed += 1
        else:
            assert words & familiar, pair
            assert not words & formal, pair
    assert addressed > 20


def test_sentences_of_every_construction_are_drawn(french):
    for construction in (
        r"\bqui (?:a|ont|est|sont) ",
        r"\w que (?:le|la|les) ",
        r"parce qu['e]",
        r"pendant qu['e]",
        r", mais ",
        r", donc ",
        r" quand ",
        r" (?:si |s')",
        r"^Qui ",
        r"^Qu'est-ce ",
        r"^Combien ",
        r"^Pourquoi est-ce ",
        r"^Où (?:est|sont) ",
        r"\bIl y a ",
        r" ne .* plus ",
        r"\bfait froid",
        r" ans\b",
        r" plus \w+ que ",
        r" !$",
        r" se sont ",
        r" d'eau\b",
    ):
        assert re.search(construction, french, re.MULTILINE), construction
