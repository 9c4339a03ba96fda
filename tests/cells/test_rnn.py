"""The simple recurrent network against its equation."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from reference import cells as reference
from regard.cells import RNN, Hidden


@settings(max_examples=30)
@given(seed=st.integers(0, 2**16), size=st.sampled_from([0.1, 1.0, 30.0]))
def test_a_step_is_that_of_the_equation(seed, size):
    torch.manual_seed(seed)
    cell = RNN(3, 5).double()
    x, h = torch.randn(2, 3, dtype=torch.double) * size, torch.randn(2, 5, dtype=torch.double)
    output, state = cell(x, Hidden(h))
    for row in range(2):
        expected = reference.rnn(
            cell.hidden_proj.weight.tolist(),
            cell.input_proj.weight.tolist(),
            cell.input_proj.bias.tolist(),
            x[row].tolist(),
            h[row].tolist(),
        )
        assert_close(output[row], torch.tensor(expected, dtype=torch.double))
    assert state.hidden is output


def test_it_starts_from_nothing():
    assert not RNN(3, 5).start(2, 7).hidden.any()
    assert RNN(3, 5).start(2, 7).hidden.shape == (2, 7, 5)
