"""Linear positions: a line in every feature."""

import pytest
import torch
from torch.autograd import gradcheck
from torch.testing import assert_close

from reference import positions as ref
from regard import positions
from regard.errors import RangeError, ShapeError


def test_the_table_is_a_line():
    slope, offset = [0.5, -2.0, 0.25], [1.0, 0.0, -3.0]
    found = positions.linear(5, slope=torch.tensor(slope), offset=torch.tensor(offset), start=7)
    assert found.tolist() == [ref.linear(7 + i, slope, offset) for i in range(5)]


@pytest.mark.parametrize("join", ["add", "concatenate"])
def test_its_gradient_is_that_of_finite_differences(join):
    module = positions.Linear(5, join=join).double()
    x = torch.randn(2, 3, 5, dtype=torch.float64, requires_grad=True)
    slope = torch.randn(5, dtype=torch.float64, requires_grad=True)
    offset = torch.randn(5, dtype=torch.float64, requires_grad=True)

    def call(x, slope, offset):
        parameters = {"slope": slope, "offset": offset}
        return torch.func.functional_call(module, parameters, (x, 11))

    assert gradcheck(call, (x, slope, offset))


def test_the_module_goes_on_for_ever():
    module = positions.Linear(5).double()
    x = torch.randn(2, 3, 5, dtype=torch.float64)
    slope, offset = module.slope.tolist(), module.offset.tolist()
    line = [ref.linear(10**6 + p, slope, offset) for p in range(3)]
    expected = x + torch.tensor(line, dtype=torch.float64)
    assert_close(module(x, start=10**6), expected)


def test_neighbours_far_out_are_told_apart_in_bfloat16():
    slope, offset = torch.tensor([0.5]).bfloat16(), torch.tensor([-128.0]).bfloat16()
    found = positions.linear(4, slope=slope, offset=offset, start=255)
    assert found.flatten().tolist() == [-0.5, 0.0, 0.5, 1.0]


def test_mistakes_are_answered_in_one_sentence(without_shape_checks):
    with pytest.raises(RangeError, match="linear needs n of at least 0, got -2"):
        positions.linear(-2, slope=torch.zeros(3), offset=torch.zeros(3))
    with pytest.raises(ShapeError, match=r"two vectors of one width, got \(3,\) and \(4,\)"):
        positions.linear(2, slope=torch.zeros(3), offset=torch.zeros(4))
    with pytest.raises(RangeError, match="Linear needs dim of at least 1, got 0"):
        positions.Linear(0)
