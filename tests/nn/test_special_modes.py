"""What every special mechanism does besides its equation: copies, precisions, compilers, looks."""

import copy

import pytest
import torch
from torch.testing import assert_close

from nn.special_cases import CASES
from regard.functional import decay
from regard.lens import capture

every_case = pytest.mark.parametrize("case", CASES, ids=str)
every_small_dtype = pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)


def called(case, module, dtype=torch.float32):
    return module(*case.tensors(dtype), **case.rest)


@every_case
def test_the_parameters_survive_a_round_trip_through_a_state_dict(case):
    module, other = case.made(), case.make()
    with torch.no_grad():
        for parameter in other.parameters():
            parameter.uniform_(-1, 1)
    assert not torch.equal(called(case, other), called(case, module))
    other.load_state_dict(copy.deepcopy(module.state_dict()))
    assert torch.equal(called(case, other), called(case, module))


@every_case
def test_a_copy_computes_the_same_and_has_parameters_of_its_own(case):
    module = case.made()
    twin = copy.deepcopy(module)
    expected = called(case, module)
    assert torch.equal(called(case, twin), expected)
    with torch.no_grad():
        for parameter in twin.parameters():
            parameter.add_(torch.linspace(0.5, 1, parameter.numel()).view(parameter.shape))
    assert not torch.equal(called(case, twin), expected)
    assert torch.equal(called(case, module), expected)


@every_small_dtype
@every_case
def test_a_smaller_dtype_equals_float64_up_to_its_rounding(case, dtype):
    exact = called(case, case.made(torch.float64), torch.float64)
    found = called(case, case.made(dtype), dtype)
    assert found.dtype == dtype
    bound = 20 * torch.finfo(dtype).eps * exact.abs().max().item()
    assert_close(found.double(), exact, rtol=0, atol=bound)


@every_case
def test_autocast_equals_float32_up_to_bfloat16(case):
    module = case.made()
    exact = called(case, module)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = called(case, module)
    found.float().square().sum().backward()
    bound = 20 * torch.finfo(torch.bfloat16).eps * exact.abs().max().item()
    assert_close(found.float(), exact, rtol=0, atol=bound)
    assert all(p.grad.isfinite().all() and p.grad.dtype == p.dtype for p in module.parameters())


@every_case
def test_watching_changes_nothing_and_shows_rows_that_sum_to_one(case):
    module = case.made(torch.float64)
    alone = called(case, module, torch.float64)
    with capture(module) as record:
        watched = called(case, module, torch.float64)
    assert torch.equal(watched, alone)
    sums = record[""].weights.sum(-1)
    assert_close(sums, torch.ones_like(sums))


@every_case
def test_without_gradients_the_numbers_are_the_same(case):
    module = case.made(torch.float64)
    expected = called(case, module, torch.float64)
    with torch.no_grad():
        assert_close(called(case, module, torch.float64), expected, rtol=1e-12, atol=1e-12)


@every_case
def test_streamed_blocks_give_the_same_numbers(case, monkeypatch):
    from regard.functional.engine import plan
    from regard.functional.engine import stream as blocks

    module = case.made(torch.float64)
    expected = called(case, module, torch.float64)
    monkeypatch.setattr(plan, "SMALL_MAP", 0)
    monkeypatch.setattr(plan, "TRAINING", plan.Unfused(0, 0, 0))
    monkeypatch.setattr(blocks, "BLOCK_ELEMENTS", 1)
    monkeypatch.setattr(blocks, "FEWEST_ROWS", 2)
    monkeypatch.setattr(decay, "SEGMENT", 3)
    found = called(case, module, torch.float64)
    assert_close(found, expected, rtol=1e-12, atol=1e-12)
    parameters = list(module.parameters())
    gradients = torch.autograd.grad(found.square().sum(), parameters)
    wanted = torch.autograd.grad(expected.square().sum(), parameters)
    assert_close(gradients, wanted, rtol=1e-10, atol=1e-12)


@pytest.fixture(scope="module")
def failures(forks):
    """What went wrong in a process that has no shape checks, by case."""
    return forks.found(__file__, "special_child.py")


@pytest.mark.parametrize("what", ["compile", "export"])
@every_case
def test_it_compiles_without_a_graph_break_and_exports(failures, case, what):
    assert failures[f"{case} {what}"] == ""
