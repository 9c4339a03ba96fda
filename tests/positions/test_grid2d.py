"""Positions on a grid against loops over rows and columns."""

import pytest
import torch
from torch.autograd import gradcheck
from torch.testing import assert_close

from reference import positions as ref
from regard import positions
from regard.errors import ChoiceError, RangeError


def cells(height, width, dim):
    return torch.tensor(
        [ref.grid(y, x, dim) for y in range(height) for x in range(width)], dtype=torch.float64
    )


@pytest.mark.parametrize("dim", [2, 6, 10])
def test_the_table_has_the_row_in_one_half_and_the_column_in_the_other(dim):
    found = positions.grid2d(3, 5, dim, dtype=torch.float64)
    assert_close(found, cells(3, 5, dim), rtol=0, atol=1e-12)


def test_the_module_adds_a_vector_to_each_cell_in_reading_order():
    x = torch.randn(2, 15, 10, dtype=torch.float64)
    found = positions.Grid2d(3, 5, 10)(x)
    assert_close(found - x, cells(3, 5, 10).expand_as(x), rtol=0, atol=1e-12)


def test_a_grid_built_cell_by_cell_is_the_whole_grid():
    module = positions.Grid2d(3, 5, 10, kind="learned")
    x = torch.randn(2, 15, 10)
    steps = [module(x[:, i : i + 2], start=i) for i in range(0, 15, 2)]
    assert torch.cat(steps, dim=1).equal(module(x))


def test_a_learned_grid_has_one_vector_per_row_and_one_per_column():
    module = positions.Grid2d(3, 5, 6, kind="learned", join="concatenate")
    found = module(torch.zeros(15, 1))[:, 1:].view(3, 5, 6)
    for y in range(3):
        for x in range(5):
            expected = module.rows.table[y].tolist() + module.columns.table[x].tolist()
            assert found[y, x].tolist() == expected


def test_the_gradient_of_a_learned_grid_is_that_of_finite_differences():
    module = positions.Grid2d(2, 3, 4, kind="learned").double()
    x = torch.randn(5, 4, dtype=torch.float64, requires_grad=True)
    names = ("rows.table", "columns.table")
    tables = [module.get_parameter(name).detach().requires_grad_() for name in names]

    def call(x, *tables):
        return torch.func.functional_call(module, dict(zip(names, tables, strict=True)), (x, 1))

    assert gradcheck(call, (x, *tables))


def test_a_sinusoidal_grid_goes_on_below_its_last_row_and_a_learned_one_ends():
    x = torch.zeros(20, 10, dtype=torch.float64)
    found = positions.Grid2d(3, 5, 10)(x)
    assert_close(found, cells(4, 5, 10), rtol=0, atol=1e-12)
    assert positions.Grid2d(3, 5, 10, kind="linear")(x).shape == (20, 10)
    with pytest.raises(RangeError, match=r"Grid2d needs positions from 0 to 14, .*got 0 to 19"):
        positions.Grid2d(3, 5, 10, kind="learned")(x)


def test_mistakes_are_answered_in_one_sentence(without_shape_checks):
    odd = "needs an even dim, half for the row and half for the column, got 7"
    with pytest.raises(RangeError, match=f"grid2d {odd}"):
        positions.grid2d(3, 5, 7)
    with pytest.raises(RangeError, match=f"Grid2d {odd}"):
        positions.Grid2d(3, 5, 7)
    with pytest.raises(RangeError, match="Grid2d needs width of at least 1, got 0"):
        positions.Grid2d(3, 0, 6)
    with pytest.raises(RangeError, match="grid2d needs a finite base above 1, got 0"):
        positions.grid2d(3, 5, 6, base=0)
    with pytest.raises(
        ChoiceError, match=r"unknown kind of axis 'learnt'\. Did you mean 'learned'"
    ):
        positions.Grid2d(3, 5, 6, kind="learnt")
