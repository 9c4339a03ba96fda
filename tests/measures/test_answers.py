"""Answers as SQuAD measures them, by hand."""

import pytest

from regard.errors import InputError, ShapeError
from regard.measures import answer_score


@pytest.mark.parametrize(
    ("answer", "references", "exact", "f1"),
    [
        ("the cat", ["The cat."], 1, 1),
        ("a black cat", ["cat"], 0, 2 / 3),
        ("black cat", ["white cat", "the black, cat!"], 1, 1),
        ("in the big old house", ["old house", "big"], 0, 2 * 2 / (4 + 2)),
        ("no no", ["no"], 0, 2 / 3),
        ("dog", ["cat"], 0, 0),
        ("", [""], 1, 1),
        ("cat", [""], 0, 0),
        ("", ["cat"], 0, 0),
        ("the", [""], 1, 1),
        ("theatre", ["atre"], 0, 0),
        ("it's", ["its"], 1, 1),
    ],
)
def test_one_answer(answer, references, exact, f1):
    found = answer_score([answer], [references])
    assert found == (exact, pytest.approx(f1))


def test_the_score_is_the_mean_over_questions():
    found = answer_score(["cat", "a black cat", "dog"], ["cat", ["cat"], ["cat", "bird"]])
    assert found.exact == pytest.approx(1 / 3)
    assert found.f1 == pytest.approx((1 + 2 / 3 + 0) / 3)


def test_every_question_needs_an_answer_and_references():
    with pytest.raises(ShapeError, match="got 1 hypotheses and references of 2"):
        answer_score(["a"], ["a", "b"])
    with pytest.raises(InputError, match="sentence 1 needs at least one reference"):
        answer_score(["a"], [[]])
