"""Positions join the vectors they belong to: added, or side by side."""

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from reference import positions as ref
from regard import positions
from regard.errors import ChoiceError, DtypeError, ShapeError

MODULES = {
    "Sinusoidal": lambda join: positions.Sinusoidal(4, join=join),
    "Learned": lambda join: positions.Learned(9, 4, join=join),
    "Linear": lambda join: positions.Linear(4, join=join),
    "Grid2d": lambda join: positions.Grid2d(3, 3, 4, join=join),
    "Grid2d_learned": lambda join: positions.Grid2d(3, 3, 4, kind="learned", join=join),
}
every_module = pytest.mark.parametrize("make", MODULES.values(), ids=MODULES)


@every_module
def test_a_concatenated_position_is_what_would_have_been_added(make):
    torch.manual_seed(1)
    added = make("add")
    beside = make("concatenate")
    beside.load_state_dict(added.state_dict())
    x, narrow = torch.zeros(2, 3, 5, 4), torch.randn(2, 3, 5, 7)
    found = beside(narrow, 2)
    assert found.shape == (2, 3, 5, 11)
    assert found[..., :7].equal(narrow)
    assert found[..., 7:].equal(added(x, 2))


@every_module
@pytest.mark.parametrize("join", ["add", "concatenate"])
def test_a_sequence_in_two_parts_is_the_whole_sequence(make, join):
    module, x = make(join), torch.randn(2, 7, 4)
    parts = module(x[:, :3]), module(x[:, 3:], start=3)
    assert torch.cat(parts, dim=1).equal(module(x))


@every_module
def test_the_order_of_the_same_vectors_matters(make):
    x = torch.ones(5, 4)
    found = make("add")(x)
    assert len({tuple(row) for row in found.tolist()}) == 5


def test_concatenated_positions_stand_behind_the_features():
    x = torch.randn(2, 5, 3, dtype=torch.float64)
    found = positions.Sinusoidal(7, join="concatenate")(x)
    expected = torch.tensor([ref.sinusoidal(p, 7) for p in range(5)], dtype=torch.float64)
    assert_close(found[1], torch.cat([x[1], expected], dim=-1), rtol=0, atol=1e-12)


def test_a_position_of_ones_own_is_an_encoding_and_nothing_else():
    class Parity(positions.InputPosition):
        def encode(self, positions):
            return (positions % 2).unsqueeze(-1).expand(-1, self.dim)

    found = Parity(2, join="concatenate")(torch.zeros(3, 1), start=5)
    assert found.tolist() == [[0.0, 1.0, 1.0], [0.0, 0.0, 0.0], [0.0, 1.0, 1.0]]


def test_a_module_prints_what_it_was_made_of():
    stack = nn.Sequential(positions.Learned(9, 4, join="concatenate"), positions.Grid2d(3, 5, 4))
    assert "Learned(9, 4, join='concatenate')" in repr(stack)
    assert "3, 5, 4, join='add'" in repr(stack)


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (
            lambda: positions.Sinusoidal(4)(torch.zeros(2, 3, 5)),
            ShapeError,
            r"Sinusoidal needs vectors of its own width 4 to be added to, got \(2, 3, 5\); make",
        ),
        (
            lambda: positions.Linear(4)(torch.zeros(4)),
            ShapeError,
            r"Linear needs vectors \(\*B, N, M\) in order, got \(4,\)",
        ),
        (
            lambda: positions.Learned(3, 4)(torch.zeros(3, 4).long()),
            DtypeError,
            "Learned needs floating-point vectors, got torch.int64; embed tokens first",
        ),
        (
            lambda: positions.Learned(3, 4)(torch.zeros(3, 4), start=1.0),
            DtypeError,
            "Learned needs a whole number as start, got float",
        ),
        (
            lambda: positions.Linear(4, join="concat"),
            ChoiceError,
            r"unknown join 'concat'\. Did you mean 'concatenate'\?",
        ),
    ],
)
def test_mistakes_are_answered_in_one_sentence(make, error, match, without_shape_checks):
    with pytest.raises(error, match=match):
        make()
