"""The gated recurrent unit, reset before and after the matrix."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from reference import cells as reference
from regard.cells import GRU, Hidden
from regard.errors import ChoiceError


@settings(max_examples=30)
@given(
    reset=st.sampled_from(["before", "after"]),
    seed=st.integers(0, 2**16),
    size=st.sampled_from([0.1, 1.0, 30.0]),
)
def test_a_step_is_that_of_the_equations(reset, seed, size):
    torch.manual_seed(seed)
    cell = GRU(3, 5, reset=reset).double()
    x, h = torch.randn(2, 3, dtype=torch.double) * size, torch.randn(2, 5, dtype=torch.double)
    output, _ = cell(x, Hidden(h))
    weights = [cell.input_proj.weight.tolist(), cell.hidden_proj.weight.tolist()]
    biases = [cell.input_proj.bias.tolist()]
    step = reference.gru_before
    if reset == "after":
        biases.append(cell.hidden_proj.bias.tolist())
        step = reference.gru_after
    for row in range(2):
        expected = step(*weights, *biases, x[row].tolist(), h[row].tolist())
        assert_close(output[row], torch.tensor(expected, dtype=torch.double))


def test_before_and_after_are_different_cells():
    after = GRU(3, 5, reset="after").double()
    before = GRU(3, 5).double()
    with torch.no_grad():
        after.hidden_proj.bias.zero_()
    before.load_state_dict(
        {name: w for name, w in after.state_dict().items() if name != "hidden_proj.bias"}
    )
    x, h = torch.randn(2, 3, dtype=torch.double), torch.randn(2, 5, dtype=torch.double)
    assert not torch.allclose(before(x, Hidden(h))[0], after(x, Hidden(h))[0])


def test_an_update_bias_lets_a_new_cell_remember():
    torch.manual_seed(1)
    plain = GRU(3, 5)
    torch.manual_seed(1)
    kept = GRU(3, 5, update_bias=20.0)
    assert_close(
        kept.input_proj.bias - plain.input_proj.bias,
        torch.tensor([0.0] * 5 + [20.0] * 5 + [0.0] * 5),
        atol=1e-5,
        rtol=0,
    )
    h = torch.randn(1, 5)
    assert_close(kept(torch.zeros(1, 3), Hidden(h))[0], h)


def test_an_unknown_reset_is_told(without_shape_checks):
    with pytest.raises(ChoiceError, match=r"unknown reset 'later'\. Known: after, before\."):
        GRU(3, 5, reset="later")
