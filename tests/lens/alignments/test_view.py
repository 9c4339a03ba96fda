"""One alignment as plain data: sizes are checked, numbers are numbers."""

import json

import pytest
import torch

from regard.errors import RangeError, ShapeError
from regard.lens.alignments import AlignmentView

SOURCE, TARGET = ("red", "dress"), ("une", "robe", "rouge")
ROWS = ((0.5, 0.25), (0.0, 1.0), (0.75, 0.125))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_weights_of_any_precision_become_rows_of_numbers(dtype):
    weights = torch.tensor(ROWS, dtype=dtype).requires_grad_()
    assert AlignmentView(SOURCE, TARGET, weights).rows == ROWS


def test_weights_may_be_lists():
    view = AlignmentView(SOURCE, TARGET, [list(row) for row in ROWS], "a head")
    assert view.rows == ROWS
    assert view.title == "a head"


def test_later_changes_of_the_tensor_do_not_reach_the_view():
    weights = torch.tensor(ROWS)
    view = AlignmentView(SOURCE, TARGET, weights)
    weights.zero_()
    assert view.rows == ROWS


@pytest.mark.parametrize(
    ("weights", "came"),
    [
        (torch.zeros(2, 3), r"\(2, 3\)"),
        (torch.zeros(1, 3, 2), r"\(1, 3, 2\)"),
        (torch.zeros(3), r"\(3,\)"),
        (torch.zeros(0), r"\(0,\)"),
        ([[0.5], [0.5, 0.5], [1.0, 0.0]], "rows of different lengths"),
    ],
    ids=["turned", "stack", "vector", "empty", "ragged"],
)
def test_a_wrong_size_is_one_sentence(weights, came):
    with pytest.raises(ShapeError, match=rf"3 target words with 2 source .* \(3, 2\), got {came}"):
        AlignmentView(SOURCE, TARGET, weights)


@pytest.mark.parametrize(
    ("source", "target", "shape"), [((), TARGET, (3, 0)), (SOURCE, (), (0, 2))], ids=["S", "T"]
)
def test_there_is_a_word_on_each_side(source, target, shape):
    with pytest.raises(ShapeError, match="at least one of each"):
        AlignmentView(source, target, torch.zeros(shape))


@pytest.mark.parametrize("weight", [float("nan"), float("inf"), -0.25])
def test_a_weight_that_cannot_be_drawn_is_named_with_its_word(weight):
    weights = torch.tensor(ROWS)
    weights[1, 0] = weight
    with pytest.raises(RangeError, match=rf"must be 0 or more, got {weight:g} for .* 'robe'"):
        AlignmentView(SOURCE, TARGET, weights)


def test_the_strongest_colour_is_for_one_or_more():
    assert AlignmentView(SOURCE, TARGET, torch.full((3, 2), 0.1)).largest == 1.0
    assert AlignmentView(SOURCE, TARGET, torch.full((3, 2), 1.5)).largest == 1.5
    assert AlignmentView(("a",), ("b",), [[0.5]]).largest == 1.0
    assert AlignmentView(("a",), ("b",), [[0.5]], end=[2.5]).largest == 2.5


def test_the_end_is_one_more_column_of_what_is_drawn():
    view = AlignmentView(SOURCE, TARGET, ROWS, end=torch.tensor([0.25, 0.0, 0.125]))
    assert view.columns == ("red", "dress", "(end)")
    assert view.cells == ((0.5, 0.25, 0.25), (0.0, 1.0, 0.0), (0.75, 0.125, 0.125))
    assert view.rows == ROWS
    plain = AlignmentView(SOURCE, TARGET, ROWS)
    assert (plain.columns, plain.cells) == (SOURCE, ROWS)


@pytest.mark.parametrize("end", [[0.5, 0.5], torch.zeros(3, 1), [0.5] * 4])
def test_there_is_an_end_for_every_target_word(end):
    with pytest.raises(ShapeError, match="a weight for each of 3 target words, got"):
        AlignmentView(SOURCE, TARGET, ROWS, end=end)


def test_an_end_that_cannot_be_drawn_is_named_with_its_word():
    with pytest.raises(RangeError, match=r"must be 0 or more, got -1 for .* 'rouge'"):
        AlignmentView(SOURCE, TARGET, ROWS, end=[0.0, 0.0, -1.0])


def test_a_view_is_plain_json():
    view = AlignmentView(
        SOURCE, TARGET, torch.tensor(ROWS), "a head", end=[0.25, 0.0, 0.125], model="small"
    )
    assert json.loads(json.dumps(view.to_json())) == {
        "title": "a head",
        "model": "small",
        "texts": ["red dress", "une robe rouge"],
        "source": list(SOURCE),
        "target": list(TARGET),
        "weights": [list(row) for row in ROWS],
        "end": [0.25, 0.0, 0.125],
    }
    bare = AlignmentView(SOURCE, TARGET, ROWS, texts=("Red dress", "Une robe rouge")).to_json()
    assert (bare["texts"], bare["end"]) == (["Red dress", "Une robe rouge"], None)
