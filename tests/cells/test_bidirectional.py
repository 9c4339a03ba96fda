"""Both directions, each from its own end of every sequence."""

import pytest
import torch
from torch.autograd import gradcheck
from torch.testing import assert_close

from cells.every import leaves
from regard.cells import GRU, LSTM, LSTMN, RNN, Bidirectional, Recurrent
from regard.errors import ShapeError


@pytest.mark.parametrize("lengths", [None, [4, 2, 0]], ids=str)
def test_the_cell_to_the_left_begins_at_the_last_step_of_each_sequence(lengths):
    right, left = LSTM(3, 5).double(), LSTMN(3, 2).double()
    x = torch.randn(3, 4, 3, dtype=torch.double)
    given = None if lengths is None else torch.tensor(lengths)
    outputs, state = Bidirectional(right, left)(x, lengths=given)
    assert outputs.shape == (3, 4, 7)
    for row, length in enumerate(lengths or [4, 4, 4]):
        own = x[row : row + 1, :length]
        to_right, after_right = Recurrent(right)(own)
        to_left, after_left = Recurrent(left)(own.flip(1))
        expected = torch.cat([to_right, to_left.flip(1)], dim=-1)
        assert_close(outputs[row : row + 1, :length], expected)
        assert not outputs[row, length:].any()
        assert_close(state.rightward.memory[row], after_right.memory[0])
        assert_close(state.leftward.hidden[row], after_left.hidden[0])


def test_states_are_taken_up_again_and_can_be_picked_and_cut_off():
    both = Bidirectional(RNN(3, 5), GRU(3, 2))
    x = torch.randn(3, 4, 3)
    _, state = both(x)
    again, _ = both(x, state)
    to_right, _ = Recurrent(both.rightward.cell)(x, state.rightward)
    to_left, _ = Recurrent(both.leftward.cell)(x.flip(1), state.leftward)
    assert_close(again, torch.cat([to_right, to_left.flip(1)], dim=-1))
    rows = torch.tensor([2, 0])
    assert_close(both(x[rows], state.reorder(rows))[0], again[rows])
    assert not any(leaf.requires_grad for leaf in leaves(state.detach()))


def test_gradients_are_those_of_finite_differences():
    both = Bidirectional(LSTM(3, 2), GRU(3, 2)).double()
    lengths = torch.tensor([3, 1])
    x = torch.randn(2, 3, 3, dtype=torch.double).requires_grad_()
    assert gradcheck(lambda given: both(given, lengths=lengths)[0], (x,))


def test_what_stands_beyond_a_length_reaches_nothing():
    both = Bidirectional(LSTM(3, 2), GRU(3, 2))
    x = torch.randn(2, 3, 3)
    expected, _ = both(x, lengths=torch.tensor([3, 1]))
    spoiled = x.clone()
    spoiled[1, 1:] = torch.nan
    spoiled.requires_grad_()
    outputs, _ = both(spoiled, lengths=torch.tensor([3, 1]))
    assert_close(outputs, expected)
    outputs.sum().backward()
    assert spoiled.grad.isfinite().all()
    assert all(p.grad.isfinite().all() for p in both.parameters())


def test_two_cells_read_one_input():
    with pytest.raises(ShapeError, match="two cells with one input_dim, got 3 and 2"):
        Bidirectional(RNN(3, 5), RNN(2, 5))
