import pytest

from regard.data.grammar import examples, split_of

CAT, LOVE, DRESS = examples()


def test_the_black_cat_crosses_and_ate_takes_two_steps():
    assert CAT.source_text == "The black cat ate the mouse."
    assert CAT.target_text == "Le chat noir a mangé la souris."
    crossing = {(1, 2), (2, 1)}
    two_steps = {(3, 3), (3, 4)}
    assert CAT.alignment == {(0, 0), (4, 5), (5, 6), (6, 7)} | crossing | two_steps
    assert CAT.source_tags == ("DET", "ADJ", "NOUN", "VERB", "DET", "NOUN", "PUNCT")
    assert CAT.target_tags == ("DET", "NOUN", "ADJ", "AUX", "VERB", "DET", "NOUN", "PUNCT")


def test_the_pronoun_of_i_love_you_stands_before_the_verb():
    assert LOVE.source == ("I", "love", "you", ".")
    assert LOVE.target == ("Je", "t'", "aime", ".")
    assert LOVE.target_text == "Je t'aime."
    assert LOVE.alignment == {(0, 0), (1, 2), (2, 1), (3, 3)}


def test_a_red_dress_is_a_bare_noun_phrase():
    assert (DRESS.source, DRESS.target) == (("red", "dress"), ("robe", "rouge"))
    assert DRESS.alignment == {(0, 1), (1, 0)}


@pytest.mark.parametrize("pair", examples(), ids=lambda pair: pair.source_text)
def test_examples_are_never_held_out(pair):
    assert split_of(pair.source) == "train"
