"""Long short-term memory against its equations."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from reference import cells as reference
from regard.cells import LSTM, HiddenMemory


@settings(max_examples=30)
@given(seed=st.integers(0, 2**16), size=st.sampled_from([0.1, 1.0, 30.0]))
def test_a_step_is_that_of_the_equations(seed, size):
    torch.manual_seed(seed)
    cell = LSTM(3, 5).double()
    x = torch.randn(2, 3, dtype=torch.double) * size
    h, c = torch.randn(2, 2, 5, dtype=torch.double)
    output, state = cell(x, HiddenMemory(h, c))
    for row in range(2):
        hidden, memory = reference.lstm(
            cell.input_proj.weight.tolist(),
            cell.hidden_proj.weight.tolist(),
            cell.input_proj.bias.tolist(),
            x[row].tolist(),
            h[row].tolist(),
            c[row].tolist(),
        )
        assert_close(output[row], torch.tensor(hidden, dtype=torch.double))
        assert_close(state.memory[row], torch.tensor(memory, dtype=torch.double))
    assert state.hidden is output


def test_a_forget_bias_lets_a_new_cell_remember():
    torch.manual_seed(1)
    plain = LSTM(3, 5)
    torch.manual_seed(1)
    kept = LSTM(3, 5, forget_bias=2.0)
    gained = kept.input_proj.bias - plain.input_proj.bias
    assert_close(gained, torch.tensor([0.0] * 5 + [2.0] * 5 + [0.0] * 10))
    x, memory = torch.zeros(1, 3), torch.ones(1, 5)
    state = HiddenMemory(torch.zeros(1, 5), memory)
    assert (kept(x, state)[1].memory > plain(x, state)[1].memory).all()
