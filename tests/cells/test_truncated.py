"""Sequences in pieces: the same outputs, and gradients that end where a piece begins."""

import pytest
import torch
from torch.testing import assert_close

from cells.every import begun, leaves
from regard.cells import LSTM, RNN, Recurrent, Stack, chunks
from regard.errors import RangeError


@pytest.mark.parametrize("size", [3, 9])
@pytest.mark.parametrize("lengths", [None, [7, 3, 0]], ids=str)
def test_pieces_are_the_whole(cell, size, lengths):
    x, state = torch.randn(3, 7, 5, dtype=torch.double), begun(cell, 3)
    lengths = None if lengths is None else torch.tensor(lengths)
    expected, expected_after = Recurrent(cell)(x, state, lengths=lengths)
    pieces = list(chunks(Recurrent(cell), x, size=size, state=state, lengths=lengths))
    assert_close(torch.cat([piece.outputs for piece in pieces], dim=1), expected)
    assert [piece.steps.start for piece in pieces] == list(range(0, 7, size))
    assert pieces[-1].steps.stop == 7
    for found, wanted in zip(leaves(pieces[-1].state), leaves(expected_after), strict=True):
        assert_close(found, wanted)


def test_a_gradient_ends_where_its_piece_begins():
    runner = Recurrent(Stack([LSTM(3, 5), RNN(5, 5)]))
    x = torch.randn(2, 7, 3, requires_grad=True)
    begin = runner.cell.start(2)
    begin.layers[0].memory.requires_grad_()
    first, second, third = chunks(runner, x, size=3, state=begin)
    second.outputs.sum().backward()
    reached = x.grad.abs().sum(dim=(0, 2)) > 0
    assert reached.tolist() == [False] * 3 + [True] * 3 + [False]
    assert begin.layers[0].memory.grad is None
    first.outputs.sum().backward()
    assert begin.layers[0].memory.grad.all()
    assert third.outputs.shape == (2, 1, 5)


def test_each_piece_is_trained_on_before_the_next_is_run():
    runner = Recurrent(RNN(3, 5))
    optimiser = torch.optim.SGD(runner.parameters(), lr=0.1)
    weights = []
    for outputs, _, steps in chunks(runner, torch.randn(2, 7, 3), size=3):
        assert outputs.shape[1] == steps.stop - steps.start
        optimiser.zero_grad()
        outputs.square().sum().backward()
        optimiser.step()
        weights.append(runner.cell.hidden_proj.weight.detach().clone())
    assert len(weights) == 3
    assert not torch.equal(weights[0], weights[1])


def test_mistakes_are_told_before_anything_runs():
    runner, x = Recurrent(RNN(3, 5)), torch.randn(2, 7, 3)
    with pytest.raises(RangeError, match="chunks needs a size of at least 1, got 0"):
        chunks(runner, x, size=0)
    with pytest.raises(RangeError, match="lengths need to be from 0 to 7"):
        chunks(runner, x, size=3, lengths=torch.tensor([8, 1]))
