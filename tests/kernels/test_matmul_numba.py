"""Products in tiles are products."""

import pytest
import torch
from torch.testing import assert_close

from regard.kernels.matmul_numba import product
from regard.kernels.packed_weights import PANEL, filled, packed


@pytest.mark.parametrize("rows", [1, 2, 3, 5, 7, 12, 29])
@pytest.mark.parametrize("outputs", [5, 32, 71])
def test_every_row_meets_every_output(rows, outputs):
    generator = torch.Generator().manual_seed(rows)
    x = torch.randn(rows, 13, generator=generator)
    weight = torch.randn(outputs, 11, generator=generator)  # two columns of x are not read
    bias = torch.randn(filled(outputs), generator=generator)
    out = torch.full((rows, filled(outputs)), torch.nan)
    panels = packed(weight)
    product(x.numpy(), panels.numpy(), bias.numpy(), 0, len(panels), out.numpy())
    expected = [
        [
            sum(a * b for a, b in zip(row, weights, strict=False)) + shift
            for weights, shift in zip(weight.tolist(), bias.tolist(), strict=False)
        ]
        for row in x.tolist()
    ]
    assert_close(out[:, :outputs], torch.tensor(expected))


def test_only_the_panels_that_are_asked_for_are_written():
    x, weight = torch.ones(2, 3), torch.ones(3 * PANEL, 3)
    out, panels = torch.zeros(2, 3 * PANEL), packed(weight)
    product(x.numpy(), panels.numpy(), torch.zeros(3 * PANEL).numpy(), 1, 2, out.numpy())
    written = out == 3
    assert written[:, PANEL : 2 * PANEL].all()
    assert written.sum() == 2 * PANEL


def test_a_panel_has_the_outputs_of_an_input_side_by_side():
    weight = torch.arange(2.0 * 33).view(33, 2)
    panels = packed(weight)
    assert panels.shape == (2, 2, PANEL)
    assert panels[0, 1, 5] == weight[5, 1]
    assert panels[1, 0, 0] == weight[32, 0]
    assert not panels[1, :, 1:].any()
