"""The fixed sentence reads as it is described."""

import torch

from regard.lens.examples import FEATURES, WORDS, sentence


def test_there_is_a_vector_per_word_and_a_number_per_feature():
    assert " ".join(WORDS) == "The black cat ate the mouse"
    assert sentence().shape == (len(WORDS), len(FEATURES)) == (6, 8)


def test_both_articles_are_alike_and_no_other_two_words_are():
    x = sentence()
    alike = [(i, j) for i in range(6) for j in range(i) if torch.equal(x[i], x[j])]
    assert alike == [(4, 0)]


def test_a_cat_is_nearer_to_a_mouse_than_to_anything_else():
    the, black, cat, ate, _, mouse = sentence()
    assert cat @ mouse > max(cat @ the, cat @ black, cat @ ate)
    assert black @ cat > black @ mouse


def test_a_call_gives_a_tensor_of_its_own():
    sentence().zero_()
    assert sentence().any()
