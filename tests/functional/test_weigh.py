"""Parts of the map of weights are parts of the whole map."""

import numpy
import pytest
import torch
from torch.testing import assert_close

from functional.cases.call import inputs, reference_weights
from functional.cases.masks import MASK, MASKS
from functional.cases.normalisers import NORMALISERS
from functional.cases.scores import SCORE, SCORES
from functional.cases.sizes import BATCH, HEADS, KEYS, QUERIES
from reference import attention
from regard import normalisers, top_weights, weigh
from regard.errors import ChoiceError, DtypeError, RangeError, ShapeError
from regard.functional.events import StoredWeights

INDICES = {
    "one": 3,
    "the last": -1,
    "a slice": slice(1, 4),
    "every other": slice(None, None, 2),
    "backwards": slice(None, None, -1),
    "none of them": slice(2, 2),
    "a list": [4, 0, 0],
    "a negative list": [-2, 1],
    "a tensor": torch.tensor([2, 4]),
    "a number as a tensor": torch.tensor(1),
    "a number of numpy": numpy.int64(2),
    "numbers of numpy": [numpy.int32(3), numpy.int64(-1)],
    "an array": numpy.array([1, 0]),
    "booleans as a tensor": torch.tensor([True, False, True, False, True]),
    "booleans as a list": [False, True, True, False, False],
    "booleans as an array": numpy.array([False, False, False, True, False]),
    "booleans, all false": torch.zeros(QUERIES, dtype=torch.bool),
}
HEAD_INDICES = {
    "one": 1,
    "the last": -1,
    "a slice": slice(1, 3),
    "a list": [2, 0],
    "a tensor": torch.tensor([1]),
    "a number of numpy": numpy.int64(2),
    "booleans": torch.tensor([True, False, True]),
}
BAD_INDICES = [
    (True, DtypeError, "whole numbers, a slice, or one boolean for each of 3, got bool"),
    (1.0, DtypeError, "whole numbers, a slice, or one boolean for each of 3, got float"),
    ([0.9, 1.2], DtypeError, "got float"),
    (torch.tensor([0.0, 1.0]), DtypeError, "got float"),
    ([True, 1, 0], DtypeError, "got bool"),
    ([[0, 1]], DtypeError, "got list"),
    ("1", DtypeError, "got str"),
    ([True, False], ShapeError, "one boolean for each of 3, got 2"),
    (torch.ones(5, dtype=torch.bool), ShapeError, "one boolean for each of 3, got 5"),
    ([0, 3], RangeError, "positions below 3, got 3"),
    (numpy.int64(-4), RangeError, "positions below 3, got -4"),
]


@pytest.fixture(autouse=True)
def _several_blocks(small_blocks):
    """The map is walked in several blocks."""


def by_list(index):
    """An index as plain indexing takes it: negative steps written out."""
    return list(range(QUERIES))[index] if isinstance(index, slice) else index


def cases():
    return [
        (SCORE["scaled_dot"], NORMALISERS[0], MASK["none"]),
        (SCORE["additive"], NORMALISERS[1], MASK["causal&padding"]),
        (SCORE["scaled_dot+alibi"], NORMALISERS[0], MASK["causal"]),
        (SCORE["scaled_dot+relative"], NORMALISERS[2], MASK["tensor"]),
        (SCORE["general+gaussian_around"], NORMALISERS[0], MASK["padding_by_head"]),
        (SCORE["alibi"], NORMALISERS[0], MASK["window(2,1)"]),
        (SCORE["location"], NORMALISERS[4], MASK["blocks_by_layout"]),
        (SCORE["gaussian"], NORMALISERS[6], MASK["document"]),
    ]


def names(case):
    return "-".join(map(str, case))


every_case = pytest.mark.parametrize("case", cases(), ids=names)


def whole_and_choices(case):
    score, normaliser, mask = case
    loops = reference_weights(score.name, normaliser.name, mask.name)
    query, key, _, parameters = inputs(score)
    choices = {
        "score": score.make(**parameters),
        "mask": mask.make(),
        "normalise": normaliser.value,
    }
    return torch.tensor(loops, dtype=torch.float64), (query, key), choices


def assert_equal(found, expected):
    assert found.shape == expected.shape
    assert_close(found, expected, rtol=1e-9, atol=1e-11)


@every_case
@pytest.mark.parametrize("index", INDICES.values(), ids=INDICES)
def test_some_rows_are_those_rows_of_the_whole(case, index):
    whole, vectors, choices = whole_and_choices(case)
    assert_equal(weigh(*vectors, rows=index, **choices), whole[..., by_list(index), :])


@every_case
@pytest.mark.parametrize("index", HEAD_INDICES.values(), ids=HEAD_INDICES)
def test_some_heads_are_those_heads_of_the_whole(case, index):
    whole, vectors, choices = whole_and_choices(case)
    assert_equal(weigh(*vectors, heads=index, **choices), whole[:, index])


@pytest.mark.parametrize(("index", "error", "match"), BAD_INDICES, ids=repr)
@pytest.mark.usefixtures("without_shape_checks")
def test_what_picks_nothing_is_refused_wherever_weights_are_picked(index, error, match):
    vectors = torch.zeros(3, 3, 2), torch.zeros(3, 7, 2)
    for what in ("rows", "heads"):
        for picks in (lambda **k: weigh(*vectors, **k), StoredWeights(torch.zeros(3, 3, 7)).weigh):
            with pytest.raises(error, match=f"{what} needs .*{match}"):
                picks(**{what: index})


@pytest.mark.parametrize("row", INDICES.values(), ids=INDICES)
@pytest.mark.parametrize("head", HEAD_INDICES.values(), ids=HEAD_INDICES)
def test_weights_that_are_at_hand_are_picked_alike(row, head):
    weights = torch.arange(2.0 * HEADS * QUERIES * KEYS).view(2, HEADS, QUERIES, KEYS)
    found = StoredWeights(weights).weigh(rows=row, heads=head)
    kept = weights[:, head]
    assert found.equal(kept[..., by_list(row), :])


@every_case
def test_rows_and_heads_can_be_picked_together(case):
    whole, vectors, choices = whole_and_choices(case)
    found = weigh(*vectors, heads=2, rows=slice(1, 3), **choices)
    assert_equal(found, whole[:, 2, 1:3])
    assert_equal(weigh(*vectors, heads=[1, 0], rows=4, **choices), whole[:, [1, 0], 4])
    assert_equal(weigh(*vectors, heads=0, rows=-1, **choices), whole[:, 0, -1])


@every_case
@pytest.mark.parametrize("how", ["sum", "mean"])
def test_columns_are_summed_over_the_queries(case, how):
    whole, vectors, choices = whole_and_choices(case)
    expected = whole.sum(-2) if how == "sum" else whole.mean(-2)
    assert_equal(weigh(*vectors, columns=how, **choices), expected)
    rows = [3, 1]
    part = whole[..., rows, :].sum(-2) if how == "sum" else whole[..., rows, :].mean(-2)
    assert_equal(weigh(*vectors, columns=how, rows=rows, **choices), part)
    found = weigh(*vectors, columns=how, heads=1, **choices)
    assert_equal(found, expected[:, 1])


@every_case
@pytest.mark.parametrize("count", [1, 3, KEYS])
def test_the_largest_weights_come_in_falling_order_with_their_keys(case, count):
    whole, vectors, choices = whole_and_choices(case)
    top = top_weights(*vectors, count, **choices)
    assert top.weights.shape == top.keys.shape == (BATCH, HEADS, QUERIES, count)
    expected = [
        [[[weight for weight, _ in attention.top(row, count)] for row in rows] for rows in heads]
        for heads in whole.tolist()
    ]
    assert_equal(top.weights, torch.tensor(expected, dtype=torch.float64))
    # Equal weights may come in any order: a key must carry its weight, and no key twice.
    assert_equal(whole.gather(-1, top.keys), top.weights.detach())
    assert (top.keys.sort(-1).values.diff(dim=-1) > 0).all()


@every_case
def test_the_largest_weights_of_some_rows_and_one_head(case):
    whole, vectors, choices = whole_and_choices(case)
    top = top_weights(*vectors, 2, rows=[4, 2], heads=1, **choices)
    expected = whole[:, 1, [4, 2]].topk(2).values
    assert_equal(top.weights, expected)


def test_one_sequence_without_leading_axes_has_weights_without_leading_axes():
    query, key = torch.randn(QUERIES, 4), torch.randn(KEYS, 4)
    assert weigh(query, key).shape == (QUERIES, KEYS)
    assert weigh(query, key, rows=0).shape == (KEYS,)
    assert weigh(query, key, columns="sum").shape == (KEYS,)
    assert top_weights(query, key, 2).keys.shape == (QUERIES, 2)


def test_parts_of_a_sampled_map_are_parts_of_the_same_draw():
    query, key, _, _ = inputs(SCORE["scaled_dot"])

    def sample():
        return normalisers.Sample(torch.Generator().manual_seed(6))

    whole = weigh(query, key, normalise=sample())
    assert_equal(weigh(query, key, normalise=sample(), rows=[3, 1]), whole[..., [3, 1], :])
    assert_equal(weigh(query, key, normalise=sample(), heads=[2]), whole[:, [2]])
    assert_equal(weigh(query, key, normalise=sample(), columns="sum"), whole.sum(-2))


@pytest.mark.parametrize("score", SCORES, ids=str)
def test_rows_of_every_score_under_every_mask(score):
    query, key, _, parameters = inputs(score)
    for mask in MASKS:
        loops = torch.tensor(
            reference_weights(score.name, "softmax", mask.name), dtype=torch.float64
        )
        choices = {"score": score.make(**parameters), "mask": mask.make()}
        assert_equal(
            weigh(query, key, rows=[4, 1], heads=[2, 1], **choices), loops[:, [2, 1]][:, :, [4, 1]]
        )


# --- bad input ------------------------------------------------------------------------------------


def test_a_row_or_head_that_is_not_there_is_an_error():
    query, key, _, _ = inputs(SCORE["scaled_dot"])
    with pytest.raises(RangeError, match="rows needs positions below 5, got 5"):
        weigh(query, key, rows=5)
    with pytest.raises(RangeError, match="rows needs positions below 5, got -6"):
        weigh(query, key, rows=[0, -6])
    with pytest.raises(RangeError, match="heads needs positions below 3, got 7"):
        weigh(query, key, heads=7)


def test_heads_of_a_map_without_leading_axes_is_an_error():
    with pytest.raises(ShapeError, match="heads needs an axis before the positions to pick from"):
        weigh(torch.zeros(5, 4), torch.zeros(7, 4), heads=0)


@pytest.mark.parametrize("count", [0, -1, KEYS + 1])
def test_more_or_fewer_largest_weights_than_keys_is_an_error(count):
    query, key, _, _ = inputs(SCORE["scaled_dot"])
    with pytest.raises(RangeError, match=f"top_weights needs a count from 1 to 7, .*got {count}"):
        top_weights(query, key, count)


def test_topk_and_columns_together_is_an_error():
    query, key, _, _ = inputs(SCORE["scaled_dot"])
    with pytest.raises(ChoiceError, match="weigh gives topk or columns, not both"):
        weigh(query, key, topk=2, columns="sum")


def test_the_old_spelling_of_the_largest_weights_warns_and_gives_them():
    query, key, _, _ = inputs(SCORE["scaled_dot"])
    choices = {"mask": "causal", "normalise": "sparsemax", "rows": [4, 2], "heads": 1}
    with pytest.warns(DeprecationWarning, match=r"top_weights\(query, key, 2\)"):
        old = weigh(query, key, score="dot", topk=2, **choices)
    new = top_weights(query, key, 2, score="dot", **choices)
    assert torch.equal(old.keys, new.keys)
    assert torch.equal(old.weights, new.weights)
