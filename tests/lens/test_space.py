"""Words as points: cosines, analogies, planes; the numbers of the literature."""

import pytest
import torch

from regard.errors import ChoiceError, RangeError
from regard.lens.space import Space
from regard.measures.correlation import cosine, pearson

SPACE = Space(
    ("man", "king", "woman", "queen", "cheese"),
    torch.tensor([[1.0, 0, 0], [1, 1, 0], [0, 0, 1], [0, 1.0, 1], [-1, -1, -1]]),
)


def test_dog_and_cat_have_the_correlation_of_the_literature():
    dog, cat = [0.3645, 0.9507, 0.7320, 0.5987], [0.2949, 0.7559, 0.6172, 0.4943]
    assert pearson(dog, cat) == pytest.approx(0.9968, abs=5e-5)


def test_a_cosine_is_that_of_the_angle():
    assert cosine([1.0, 0.0], [1.0, 1.0]) == pytest.approx(0.5**0.5)
    assert cosine([0.0, 0.0], [1.0, 1.0]) == 0
    assert SPACE.similarity("man", "king") == pytest.approx(0.5**0.5)


def test_king_without_man_and_with_woman_is_queen():
    assert SPACE.analogy("man", "king", "woman", 1)[0].word == "queen"


def test_a_word_is_not_near_itself_and_upper_case_is_looked_up_in_lower():
    found = SPACE.nearest("King", 9)
    assert found[0].word == "man" and len(found) == 4
    assert [one.cosine for one in found] == sorted((one.cosine for one in found), reverse=True)


def test_one_hot_words_are_all_as_far_from_each_other():
    space = Space.one_hot(["a", "b", "c"])
    assert space.similarity("a", "b") == space.similarity("b", "c") == 0


def test_a_plane_keeps_most_of_the_distances_by_principal_components():
    torch.manual_seed(0)
    plane = torch.randn(7, 2)
    plane = torch.nn.functional.normalize(torch.cat([plane, torch.ones(7, 1)], dim=1), dim=1)
    space = Space(tuple("abcdefg"), plane)
    centred = plane - plane.mean(dim=0)
    found = space.flat()
    kept = found.square().sum() / centred.square().sum()
    values = torch.linalg.eigvalsh(centred.T @ centred)
    assert kept.item() == pytest.approx((values[-2:].sum() / values.sum()).item(), rel=1e-5)


def test_mistakes_are_told():
    with pytest.raises(ChoiceError, match="no vector of 'dog' among 5 words"):
        SPACE.nearest("dog")
    with pytest.raises(RangeError, match="needs at least 3, got 2"):
        SPACE.chosen(["man", "king"]).flat()
