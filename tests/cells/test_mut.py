"""The three mutants against their equations."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from reference import cells as reference
from regard.cells import MUT1, MUT2, MUT3, Hidden
from regard.errors import ShapeError

STEPS = {MUT1: reference.mut1, MUT2: reference.mut2, MUT3: reference.mut3}


def letters(cell):
    """The parameters under the names of the paper."""

    def of(name):
        proj = getattr(cell, name, None)
        return None if proj is None else proj.weight.tolist()

    return reference.Mutant(
        w_xz=of("update_input_proj"),
        b_z=cell.update_input_proj.bias.tolist(),
        w_hr=of("reset_hidden_proj"),
        b_r=cell.reset_hidden_proj.bias.tolist(),
        w_hh=of("candidate_hidden_proj"),
        b_h=cell.candidate_hidden_proj.bias.tolist(),
        w_hz=of("update_hidden_proj"),
        w_xr=of("reset_input_proj"),
        w_xh=of("candidate_input_proj"),
    )


@settings(max_examples=30)
@given(
    kind=st.sampled_from(list(STEPS)),
    seed=st.integers(0, 2**16),
    size=st.sampled_from([0.1, 1.0, 30.0]),
)
def test_a_step_is_that_of_the_equations(kind, seed, size):
    torch.manual_seed(seed)
    width = 3 if kind is MUT3 else 5
    cell = kind(width, 5).double()
    x, h = torch.randn(2, width, dtype=torch.double) * size, torch.randn(2, 5, dtype=torch.double)
    output, state = cell(x, Hidden(h))
    for row in range(2):
        expected = STEPS[kind](letters(cell), x[row].tolist(), h[row].tolist())
        assert_close(output[row], torch.tensor(expected, dtype=torch.double))
    assert state.hidden is output


@pytest.mark.parametrize("kind", [MUT1, MUT2])
def test_a_cell_that_adds_its_input_needs_one_width(kind):
    with pytest.raises(ShapeError, match=r"input_dim equal to hidden_dim, got 3 and 5; project"):
        kind(3, 5)


@pytest.mark.parametrize(("kind", "count"), [(MUT1, 7), (MUT2, 8), (MUT3, 9)])
def test_there_is_one_parameter_for_each_letter_of_the_paper(kind, count):
    assert len(list(kind(5, 5).parameters())) == count
