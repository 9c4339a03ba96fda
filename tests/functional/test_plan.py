"""Which path runs for the default attention."""

import pytest
import torch

from regard import masks, plan

UNFUSED = {  # the longest sequences of many heads that run unfused, and shorter than what does not
    "plain": (None, 128, 256),
    "causal": (masks.causal(), 64, 128),
    "padding": (masks.padding([5, 7, 11, 2, 3]), 64, 128),
    "strided": (masks.strided(3), 128, 256),
}


def vectors(*leading: int, positions: int) -> list[torch.Tensor]:
    return [torch.ones(*leading, positions, 3, requires_grad=True) for _ in range(3)]


@pytest.mark.parametrize("name", UNFUSED)
def test_small_maps_train_unfused_and_large_ones_fused(name):
    mask, small, large = UNFUSED[name]
    for positions, unfused in ((small, True), (large, False)):
        found = plan(*vectors(5, 7, positions=positions), mask=mask)
        assert (found.path == "reference") == unfused, found


@pytest.mark.parametrize("name", ["plain", "causal", "padding"])
@torch.no_grad()
def test_small_maps_of_many_heads_run_unfused_without_a_backward_pass_too(name):
    mask, small, large = UNFUSED[name]
    for positions, unfused in ((small, True), (large, False)):
        found = plan(*vectors(5, 7, positions=positions), mask=mask)
        assert (found.path == "reference") == unfused, found


@pytest.mark.parametrize("name", UNFUSED)
@torch.no_grad()
def test_a_few_heads_or_half_precision_run_fused_without_a_backward_pass(name):
    mask = UNFUSED[name][0]
    assert plan(*vectors(5, 1, positions=11), mask=mask).path != "reference"
    halves = [x.bfloat16() for x in vectors(5, 7, positions=64)]
    assert plan(*halves, mask=mask).path != "reference"


def test_a_few_heads_train_fused_where_the_kernel_takes_the_mask():
    assert plan(*vectors(2, 1, positions=64), mask="causal").path == "lower"
