"""The LSTMN against its equations, and what its tape is."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from reference import cells as reference
from regard.cells import LSTMN, Recurrent
from regard.errors import RangeError
from regard.lens import capture


def gates(cell):
    return reference.Gates(
        cell.input_proj.weight.tolist(),
        cell.hidden_proj.weight.tolist(),
        cell.input_proj.bias.tolist(),
    )


def scorer(attention):
    return reference.Scorer(
        attention.query_proj.weight.tolist(),
        attention.key_proj.weight.tolist(),
        attention.v.tolist(),
    )


def tensor(numbers):
    return torch.tensor(numbers, dtype=torch.double)


@settings(max_examples=20)
@given(
    lengths=st.lists(st.integers(0, 4), min_size=2, max_size=2),
    seed=st.integers(0, 2**16),
    size=st.sampled_from([0.1, 1.0, 10.0]),
)
def test_both_tapes_are_those_of_the_equations(lengths, seed, size):
    torch.manual_seed(seed)
    cell = LSTMN(3, 5, attention_dim=7).double()
    x = torch.randn(2, 4, 3, dtype=torch.double) * size
    outputs, state = Recurrent(cell)(x, lengths=torch.tensor(lengths))
    for row, length in enumerate(lengths):
        read = reference.lstmn(gates(cell), scorer(cell.intra), x[row, :length].tolist(), 5)
        allowed = state.tape.allowed[row]
        assert allowed.tolist() == [True] * length + [False] * (4 - length)
        if length:
            assert_close(outputs[row, :length], tensor(read.hidden))
            assert_close(state.tape.hidden[row][allowed], tensor(read.hidden))
            assert_close(state.tape.memory[row][allowed], tensor(read.memory))
            assert_close(state.hidden[row], tensor(read.hidden[-1]))
            assert_close(state.memory[row], tensor(read.memory[-1]))


def test_the_weights_of_every_step_are_captured():
    cell = LSTMN(3, 5, attention_dim=7).double()
    x = torch.randn(2, 4, 3, dtype=torch.double)
    runner = Recurrent(cell)
    with capture(runner) as record:
        runner(x)
    looks = record["cell.intra"].looks
    assert [tuple(look.weigh().shape) for look in looks] == [(2, 1, t) for t in range(4)]
    for row in range(2):
        read = reference.lstmn(gates(cell), scorer(cell.intra), x[row].tolist(), 5)
        for look, expected in zip(looks[1:], read.intra[1:], strict=True):
            assert_close(look.weigh()[row, 0], tensor(expected))


def test_the_first_step_is_that_of_an_lstm_without_a_past():
    cell = LSTMN(3, 5).double()
    x = torch.randn(2, 3, dtype=torch.double)
    output, state = cell(x, cell.start(2))
    zeros = [0.0] * 5
    for row in range(2):
        hidden, memory = reference.lstm(*gates(cell), x[row].tolist(), zeros, zeros)
        assert_close(output[row], tensor(hidden))
        assert_close(state.memory[row], tensor(memory))


def test_keys_are_projected_once_and_stay_on_the_tape():
    cell = LSTMN(3, 5, attention_dim=7)
    calls = []
    cell.intra.key_proj.register_forward_hook(lambda module, given, made: calls.append(given[0]))
    _, state = Recurrent(cell)(torch.randn(2, 4, 3))
    assert [tuple(given.shape) for given in calls] == [(2, 5)] * 4
    assert_close(state.tape.key, state.tape.hidden @ cell.intra.key_proj.weight.T)


def test_a_state_is_not_changed_by_the_steps_after_it():
    cell = LSTMN(3, 5)
    _, state = Recurrent(cell)(torch.randn(2, 4, 3))
    before = state.tape.hidden.clone()
    cell(torch.randn(2, 3), state)
    assert state.tape.hidden.shape == (2, 4, 5)
    assert_close(state.tape.hidden, before, atol=0, rtol=0)


def test_hidden_sizes_are_checked():
    with pytest.raises(RangeError, match="LSTMN needs attention_dim of at least 1, got 0"):
        LSTMN(3, 5, attention_dim=0)
