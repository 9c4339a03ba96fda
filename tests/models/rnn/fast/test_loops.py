"""A loop with part of its input known gives the numbers of the cell."""

import pytest
import torch
from torch.testing import assert_close

from regard.cells import GRU, LSTM, Hidden, HiddenMemory
from regard.models.rnn.fast.loops import AttentionLoop, GRULoop, LSTMLoop
from regard.nn import BahdanauAttention, LuongAttention


def drawn(*sizes):
    return torch.randn(*sizes, dtype=torch.double)


@pytest.mark.parametrize("reset", ["before", "after"])
@pytest.mark.parametrize("known", [0, 3, 7])
def test_a_gru_in_a_loop_makes_the_steps_of_its_cell(reset, known):
    cell = GRU(7, 5, reset=reset).double()
    loop = GRULoop(cell, known=known)
    x, hidden = drawn(2, 4, 7), drawn(2, 5)
    state = Hidden(hidden)
    for t, start in enumerate(loop.project(x[..., :known])):
        hidden = loop.step(start, x[:, t, known:], hidden)
        expected, state = cell(x[:, t], state)
        assert_close(hidden, expected)


@pytest.mark.parametrize("known", [0, 3, 7])
def test_an_lstm_in_a_loop_makes_the_steps_of_its_cell(known):
    cell = LSTM(7, 5).double()
    loop = LSTMLoop(cell, known=known)
    x, state = drawn(2, 4, 7), HiddenMemory(drawn(2, 5), drawn(2, 5))
    expected = state
    for t, start in enumerate(loop.project(x[..., :known])):
        state = loop.step(start, x[:, t, known:], state)
        _, expected = cell(x[:, t], expected)
        assert_close(state, expected)


def test_a_loop_may_start_from_its_bias_alone():
    cell = LSTM(7, 5).double()
    x, state = drawn(2, 7), HiddenMemory(drawn(2, 5), drawn(2, 5))
    loop = LSTMLoop(cell, known=0)
    assert_close(loop.step(loop.bias, x, state), cell(x, state)[1])


@pytest.mark.parametrize(
    "attention",
    [BahdanauAttention(5, 3, 7), LuongAttention(5, 3, "general", normalise="sparsemax")],
    ids=["bahdanau", "luong"],
)
def test_an_attention_in_a_loop_looks_as_it_does_alone(attention):
    attention, leaves = attention.double(), [*attention.parameters()]
    keys, states = drawn(2, 4, 3).requires_grad_(), drawn(6, 2, 5).requires_grad_()
    found = []
    for looped in (True, False):
        memory = attention.prepare(keys, torch.tensor([4, 2]))
        loop = AttentionLoop(attention, memory)
        looks = [loop.step(h) if looped else attention(h, memory) for h in states]
        loss = sum(context.sin().sum() + weights.sin().sum() for context, weights in looks)
        found.append([looks, torch.autograd.grad(loss, [keys, states, *leaves])])
    assert_close(*found)
