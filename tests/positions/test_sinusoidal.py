"""Sinusoidal positions against the formula, digit by digit."""

import math

import pytest
import torch
from torch.testing import assert_close

from reference import positions as ref
from regard import positions
from regard.errors import DtypeError, RangeError


def test_the_first_rows_of_width_four_are_the_worked_example():
    found = positions.sinusoidal(2, 4, dtype=torch.float64)
    assert found[0].tolist() == [0.0, 1.0, 0.0, 1.0]
    assert found[1].tolist() == [math.sin(1), math.cos(1), math.sin(1 / 100), math.cos(1 / 100)]


@pytest.mark.parametrize("dim", [1, 2, 5, 6, 7])
@pytest.mark.parametrize("start", [0, 3, -4, 10**6])
def test_every_row_is_that_of_the_formula(dim, start):
    found = positions.sinusoidal(3, dim, start=start, base=500.0, dtype=torch.float64)
    expected = [ref.sinusoidal(start + i, dim, 500.0) for i in range(3)]
    assert_close(found, torch.tensor(expected, dtype=torch.float64), rtol=0, atol=1e-9)


def test_a_float32_table_is_right_to_float32_a_million_positions_on():
    found = positions.sinusoidal(3, 6, start=10**6)
    assert found.dtype == torch.float32
    expected = [ref.sinusoidal(10**6 + i, 6) for i in range(3)]
    assert_close(found, torch.tensor(expected), rtol=0, atol=1e-7)


def test_the_module_adds_the_table_to_every_sequence():
    x = torch.randn(2, 3, 5, 7, dtype=torch.float64)
    found = positions.Sinusoidal(7)(x, start=4)
    expected = torch.tensor([ref.sinusoidal(4 + p, 7) for p in range(5)], dtype=torch.float64)
    assert_close(found - x, expected.expand_as(x), rtol=0, atol=1e-12)


def test_encode_takes_positions_in_any_order_and_shape():
    module = positions.Sinusoidal(6)
    places = torch.tensor([[5, 0, 2], [2, 2, 9]])
    assert module.encode(places).equal(positions.sinusoidal(10, 6, dtype=torch.float64)[places])


def test_no_positions_are_an_empty_table():
    assert positions.sinusoidal(0, 6).shape == (0, 6)
    assert positions.Sinusoidal(6)(torch.zeros(2, 0, 6)).shape == (2, 0, 6)


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (
            lambda: positions.sinusoidal(-1, 4),
            RangeError,
            "sinusoidal needs n of at least 0",
        ),
        (
            lambda: positions.sinusoidal(3, 0),
            RangeError,
            "sinusoidal needs dim of at least 1",
        ),
        (lambda: positions.sinusoidal(3, 4, base=1.0), RangeError, "finite base above 1, got 1.0"),
        (lambda: positions.Sinusoidal(0), RangeError, "Sinusoidal needs dim of at least 1, got 0"),
        (lambda: positions.Sinusoidal(4, base=0.5), RangeError, "Sinusoidal needs a finite base"),
        (
            lambda: positions.Sinusoidal(4, base=True),
            DtypeError,
            "Sinusoidal needs base as a number, got bool",
        ),
    ],
)
def test_mistakes_are_answered_in_one_sentence(make, error, match, without_shape_checks):
    with pytest.raises(error, match=match):
        make()
