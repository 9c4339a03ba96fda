import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.data.grammar import SPLITS, Grammar, split_of
from regard.errors import ChoiceError


@pytest.mark.parametrize("split", SPLITS)
def test_every_pair_of_a_split_belongs_to_it(draw, split):
    assert {split_of(pair.source) for pair in draw(17, 100, split=split)} == {split}


def test_no_sentence_is_in_two_splits(draw):
    # Short ones only, so that the same sentences come up again and again.
    drawn = {
        split: {pair.source for pair in draw(3, 200, split=split, bucket=(1, 5))}
        for split in SPLITS
    }
    assert all(len(sentences) > 80 for sentences in drawn.values())
    assert drawn["train"].isdisjoint(drawn["valid"] | drawn["test"])
    assert drawn["valid"].isdisjoint(drawn["test"])


@given(st.lists(st.text(min_size=1), min_size=1))
def test_the_split_depends_on_the_words_alone(words):
    assert split_of(words) == split_of(tuple(words)) in SPLITS


def test_a_tenth_is_valid_and_a_tenth_is_test():
    splits = [split_of(["the", str(number), "cats"]) for number in range(5000)]
    assert 400 < splits.count("valid") < 600
    assert 400 < splits.count("test") < 600


def test_an_unknown_split_is_refused():
    with pytest.raises(ChoiceError, match="splits train, valid, test, got 'dev'"):
        Grammar(split="dev")
