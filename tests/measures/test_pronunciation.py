"""Word error, phoneme error and ROUGE-L beside plain references."""

import random
from functools import cache

import pytest

from regard.errors import InputError, ShapeError
from regard.measures import phoneme_error, rouge_l, word_error
from regard.measures.pronunciation import edit_distance, without_stress


def distance(one, other):
    """Levenshtein by its recursive definition."""

    @cache
    def between(i, j):
        if not (i and j):
            return i + j
        same = between(i - 1, j - 1) + (one[i - 1] != other[j - 1])
        return min(same, between(i - 1, j) + 1, between(i, j - 1) + 1)

    return between(len(one), len(other))


def longest_common(one, other):
    """The longest common subsequence, out of all subsequences of the shorter."""
    best = 0
    for chosen in range(2 ** len(one)):
        part = [word for place, word in enumerate(one) if chosen >> place & 1]
        rest = iter(other)
        if all(word in rest for word in part):
            best = max(best, len(part))
    return best


def test_stress_of_both_alphabets_does_not_count():
    assert without_stress("K AE1 T") == ("K", "AE", "T")
    assert without_stress("\u02c8k \u00e6 t") == ("k", "\u00e6", "t")
    assert without_stress("R2 D2X 7") == ("R", "D2X", "7")


def test_a_word_is_right_if_any_reference_says_it_so():
    texts = ["T AH0 M EY1 T OW2", "K AE1 T", "D AO1 G"]
    known = [("T AH0 M AA1 T OW2", "T AH0 M EY1 T OW1"), "K AE0 T", ("D AA1 G",)]
    assert word_error(texts, known) == pytest.approx(1 / 3)
    assert phoneme_error(texts, known) == pytest.approx(1 / 12)


def test_of_equally_near_references_the_longest_counts():
    assert phoneme_error(["A B"], [("A", "A B C")]) == pytest.approx(1 / 3)


def test_edit_distance_is_that_of_the_definition():
    draw = random.Random(0)
    for _ in range(50):
        one, other = (tuple(draw.choices("abc", k=draw.randrange(7))) for _ in range(2))
        assert edit_distance(one, other) == distance(one, other)


def test_rouge_l_is_that_of_the_definition():
    draw = random.Random(1)
    for _ in range(30):
        one, other = (draw.choices(["A", "b-c", "d"], k=draw.randrange(1, 5)) for _ in range(2))
        words = [" ".join(text).lower().replace("-", " ").split() for text in (one, other)]
        common = longest_common(*words)
        precision, recall = common / len(words[0]), common / len(words[1])
        f = 2 * precision * recall / (precision + recall) if common else 0.0
        assert rouge_l([" ".join(one)], [" ".join(other)]) == pytest.approx(100 * f)


def test_rouge_l_is_the_mean_over_summaries_of_the_nearest_reference():
    found = rouge_l(["a b c d", "x"], [("a", "a b c d e f"), "y"])
    assert found == pytest.approx(100 * (0.8 + 0) / 2)


@pytest.mark.parametrize("measure", [word_error, phoneme_error, rouge_l])
def test_bad_input_is_named(measure):
    with pytest.raises(ShapeError, match="2 hypotheses"):
        measure(["a", "b"], ["a"])
    with pytest.raises(InputError, match="got none"):
        measure([], [])
