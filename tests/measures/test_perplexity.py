"""Perplexity of numbers that can be told without a model."""

import math

import pytest

from regard.errors import RangeError
from regard.measures import perplexity


def test_an_even_choice_is_as_perplexing_as_it_has_options():
    found = perplexity(12 * math.log(7), tokens=12, words=4)
    assert found.per_token == pytest.approx(7)
    assert found.per_word == pytest.approx(7**3)


def test_certainty_has_perplexity_one():
    assert perplexity(0.0, tokens=3, words=2) == (1.0, 1.0)


def test_what_no_float_can_hold_is_infinite():
    assert perplexity(10_000.0, tokens=1, words=1) == (math.inf, math.inf)


@pytest.mark.parametrize("counts", [{"tokens": 0, "words": 2}, {"tokens": 2, "words": 0}], ids=str)
def test_no_text_has_no_perplexity(counts):
    with pytest.raises(RangeError, match="needs a token and a word"):
        perplexity(1.0, **counts)
