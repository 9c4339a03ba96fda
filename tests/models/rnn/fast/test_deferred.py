"""Gradients computed once after a loop are those that autograd adds up step by step."""

import pytest
import torch
from torch.testing import assert_close

from regard.models.rnn.fast.deferred import LoopMatrix, LoopValues


def drawn(*sizes):
    return torch.randn(*sizes, dtype=torch.double, requires_grad=True)


def looped(step, hidden):
    """Four steps, each from what the one before gave."""
    total = 0
    for _ in range(4):
        hidden = torch.tanh(step(hidden))
        total = total + hidden.square().sum()
    return total


def matrix_losses(weight, start, hidden):
    """With the gradient put off, and without."""
    matrix = LoopMatrix(weight)
    return (
        looped(lambda x: matrix.added(start, x), hidden),
        looped(lambda x: start + x @ weight.T, hidden),
    )


@pytest.mark.parametrize("start", [(2, 5), (5,)])
def test_a_matrix_learns_the_same_as_by_autograd(start):
    inputs = drawn(5, 5), drawn(*start), drawn(2, 5)
    ours, plain = matrix_losses(*inputs)
    assert_close(ours, plain)
    assert_close(torch.autograd.grad(ours, inputs), torch.autograd.grad(plain, inputs))


def test_values_learn_the_same_as_by_autograd():
    values, hidden = drawn(2, 3, 3), drawn(2, 3)
    pool = LoopValues(values)
    ours = looped(lambda x: pool.pooled(x.unsqueeze(1)).squeeze(1), hidden)
    plain = looped(lambda x: (x.unsqueeze(1) @ values).squeeze(1), hidden)
    inputs = values, hidden
    assert_close(ours, plain)
    assert_close(torch.autograd.grad(ours, inputs), torch.autograd.grad(plain, inputs))


def test_a_second_pass_over_the_same_graph_begins_anew():
    inputs = drawn(5, 5), drawn(2, 5), drawn(2, 5)
    ours, plain = matrix_losses(*inputs)
    torch.autograd.grad(ours, inputs, retain_graph=True)
    assert_close(torch.autograd.grad(ours, inputs), torch.autograd.grad(plain, inputs))


def test_a_pass_that_did_not_ask_for_the_matrix_leaves_nothing_behind():
    inputs = weight, _, hidden = drawn(5, 5), drawn(2, 5), drawn(2, 5)
    ours, plain = matrix_losses(*inputs)
    (only,) = torch.autograd.grad(ours, hidden, retain_graph=True)
    assert_close(only, torch.autograd.grad(plain, hidden, retain_graph=True)[0])
    assert_close(torch.autograd.grad(ours, weight), torch.autograd.grad(plain, weight))


def test_a_frozen_matrix_still_lets_gradients_through():
    weight, start, hidden = drawn(5, 5).detach(), drawn(2, 5), drawn(2, 5)
    ours, plain = matrix_losses(weight, start, hidden)
    assert_close(torch.autograd.grad(ours, hidden), torch.autograd.grad(plain, hidden))


@pytest.mark.parametrize("start", [(2, 5), (5,)])
def test_second_derivatives_are_those_of_autograd(start):
    inputs = drawn(5, 5), drawn(*start), drawn(2, 5)
    values, hidden = drawn(2, 3, 3), drawn(2, 3)
    pool = LoopValues(values)
    pooled = looped(lambda x: pool.pooled(x.unsqueeze(1)).squeeze(1), hidden)
    plain = looped(lambda x: (x.unsqueeze(1) @ values).squeeze(1), hidden)
    for ours, theirs, leaves in (
        (*matrix_losses(*inputs), inputs),
        (pooled, plain, (values, hidden)),
    ):
        found = [torch.autograd.grad(x, leaves, create_graph=True) for x in (ours, theirs)]
        assert_close(*found)
        twice = (
            torch.autograd.grad(sum(each.square().sum() for each in one), leaves) for one in found
        )
        assert_close(*twice)
