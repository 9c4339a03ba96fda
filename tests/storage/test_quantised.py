"""Fewer bytes: how far a weight may move, and what must not move at all."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from regard.errors import ChoiceError, RangeError
from regard.storage import quantised, tensors
from regard.storage.quantised import narrowed, restored, stored, widened

ROUNDING = 1 + 1e-4
"""w / s is rounded to float32 before it is rounded to a whole number of up to 127."""


@st.composite
def matrices(draw):
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 7))
    size = draw(st.sampled_from([1e-42, 1e-20, 1e-3, 1.0, 1e30]))
    number = st.floats(-1, 1, width=32)
    values = draw(st.lists(number, min_size=rows * columns, max_size=rows * columns))
    return (torch.tensor(values) * size).reshape(rows, columns)


@settings(max_examples=40)
@given(matrices())
def test_no_weight_moves_by_more_than_half_the_scale_of_its_row(weight):
    numbers, scale = narrowed(weight)
    after = widened(numbers, scale)
    for row, new, step in zip(
        weight.tolist(), after.tolist(), scale.flatten().tolist(), strict=True
    ):
        largest = max(map(abs, row))
        assert step == pytest.approx(largest / 127, rel=1e-6) or largest < 127 * 1.2e-38
        for old, found in zip(row, new, strict=True):
            assert abs(old - found) <= step / 2 * ROUNDING


@settings(max_examples=40)
@given(matrices())
def test_both_signs_are_treated_alike(weight):
    numbers, scale = narrowed(weight)
    opposite, same = narrowed(-weight)
    assert torch.equal(opposite, -numbers)
    assert torch.equal(same, scale)
    assert numbers.min() >= -127


def test_numbers_worked_out_by_hand():
    numbers, scale = narrowed(
        torch.tensor([[127.0, -64.4, 0.4], [-0.5, 0.25, 0.5], [0.0, 0.0, 0.0]])
    )
    assert numbers.tolist() == [[127, -64, 0], [-127, 64, 127], [0, 0, 0]]
    assert scale[:2].flatten().tolist() == [1.0, pytest.approx(0.5 / 127)]


def test_a_row_of_zeros_stays_zero_beside_others():
    weight = torch.tensor([[0.0, 0.0], [1.0, 3.0], [0.0, 0.0]])
    assert not widened(*narrowed(weight))[[0, 2]].any()


def test_a_kernel_has_one_scale_per_output():
    weight = torch.randn(3, 5, 2)
    numbers, scale = narrowed(weight)
    assert numbers.shape == (3, 5, 2)
    assert scale.flatten().tolist() == pytest.approx(
        [max(abs(x) for row in rows for x in row) / 127 for rows in weight.tolist()]
    )


def test_a_matrix_without_rows_or_columns_is_kept():
    for shape in ((0, 3), (3, 0)):
        assert restored(stored({"w": torch.empty(shape)}, "int8"))["w"].shape == shape


def test_matrices_take_a_byte_each_and_vectors_are_exact():
    weights = {"w": torch.randn(3, 5), "b": torch.randn(7), "n": torch.tensor([4, 9])}
    found = stored(weights, "int8")
    assert {name: part.dtype for name, part in found.items()} == {
        "w": torch.int8,
        "w/scale": torch.float32,
        "b": torch.float32,
        "n": torch.int64,
    }
    after = restored(found)
    assert [*after] == ["w", "b", "n"]
    assert after["w"].dtype == torch.float32
    assert torch.equal(after["b"], weights["b"])
    assert torch.equal(after["n"], weights["n"])


def test_half_precision_is_of_everything_and_within_its_eleven_bits():
    weights = {"w": torch.randn(3, 5), "b": torch.randn(7)}
    for name, part in restored(stored(weights, "float16")).items():
        assert part.dtype == torch.float16
        assert ((part.float() - weights[name]).abs() <= weights[name].abs() * 2**-11).all()


def test_single_precision_changes_nothing():
    weight = torch.randn(3, 5)
    assert torch.equal(restored(stored({"w": weight}, "float32"))["w"], weight)


@pytest.mark.parametrize("precision", ["int8", "float16", "float32"])
def test_tied_weights_are_stored_once_and_come_back_as_one(precision):
    embedding, output = nn.Embedding(40, 30), nn.Linear(30, 40, bias=False)
    output.weight = embedding.weight
    weights = {"in": embedding.state_dict()["weight"], "out": output.state_dict()["weight"]}
    alone = tensors.to_bytes(stored({"in": weights["in"]}, precision))
    both = tensors.to_bytes(stored(weights, precision))
    assert len(both) < len(alone) + 200
    after = restored(tensors.from_bytes(both, source="here"))
    assert after["in"] is after["out"]


def test_weights_that_are_equal_but_not_tied_stay_two():
    weight = torch.randn(3, 5)
    after = restored(stored({"a": weight, "b": weight.clone()}, "int8"))
    assert after["a"] is not after["b"]
    assert torch.equal(after["a"], after["b"])


def test_numbers_in_int8_without_scales_are_left_alone():
    weight = torch.tensor([[3, -4]], dtype=torch.int8)
    assert restored({"w": weight})["w"] is weight


@pytest.mark.parametrize("value", [math.inf, math.nan])
@pytest.mark.parametrize("precision", ["int8", "float16", "float32"])
def test_weights_that_are_no_numbers_are_refused_by_name(precision, value):
    with pytest.raises(RangeError, match=r"'out\.bias' has some that are not"):
        stored({"out.bias": torch.tensor([[1.0, value]])}, precision)


def test_what_half_precision_cannot_hold_is_refused_by_name():
    with pytest.raises(RangeError, match="'w' reaches 1e\\+05; pack it as int8 or float32"):
        stored({"w": torch.tensor([1.0, -1e5])}, "float16")


def test_a_name_that_scales_would_have_is_refused():
    with pytest.raises(ChoiceError, match=f"not end in {quantised.SCALE}"):
        stored({"w/scale": torch.ones(2)}, "int8")
