"""Which path runs for the default attention."""

import pytest
import torch

from regard import masks, plan

UNFUSED = {  # the longest sequences that train unfused, and shorter than what trains fused
    "plain": (None, 128, 256),
    "causal": (masks.causal(), 32, 64),
    "padding": (masks.padding([5, 7, 11]), 32, 64),
    "strided": (masks.strided(3), 128, 256),
}


@pytest.mark.parametrize("name", UNFUSED)
def test_small_maps_train_unfused_and_large_ones_fused(name):
    mask, small, large = UNFUSED[name]
    for positions, unfused in ((small, True), (large, False)):
        query, key, value = (torch.ones(3, 2, positions, 5, requires_grad=True) for _ in range(3))
        found = plan(query, key, value, mask=mask)
        assert (found.path == "reference") == unfused, found


@pytest.mark.parametrize("name", UNFUSED)
def test_without_a_backward_pass_even_small_maps_run_fused(name):
    query, key, value = (torch.ones(3, 2, 11, 5, requires_grad=True) for _ in range(3))
    with torch.no_grad():
        assert plan(query, key, value, mask=UNFUSED[name][0]).path != "reference"
