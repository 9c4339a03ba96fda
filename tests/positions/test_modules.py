"""What a user of torch expects of every module: copies, dtypes, autocast, compile, export."""

import copy

import pytest
import torch

from positions.everything import MODULES, look, vectors

every_module = pytest.mark.parametrize("name", MODULES)


@pytest.fixture(scope="module")
def failures(forks):
    """What went wrong in a process that has no shape checks, by module."""
    return forks.found(__file__, "compile_child.py")


@every_module
def test_a_state_dict_carries_all_that_is_learned(name):
    torch.manual_seed(1)
    first = MODULES[name]()
    torch.manual_seed(2)
    second = MODULES[name]()
    x = vectors()
    if list(first.parameters()):
        assert not look(second, x).equal(look(first, x))
    second.load_state_dict(first.state_dict())
    assert look(second, x).equal(look(first, x))


@every_module
def test_a_copy_is_equal_and_independent(name):
    module, x = MODULES[name](), vectors()
    twin = copy.deepcopy(module)
    before = look(module, x)
    assert look(twin, x).equal(before)
    with torch.no_grad():
        for parameter in twin.parameters():
            parameter.add_(torch.randn_like(parameter))
    assert look(module, x).equal(before)


@every_module
@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16], ids=str)
def test_other_precisions_are_near_and_keep_their_dtype(name, dtype):
    module, x = MODULES[name](), vectors()
    expected = look(module, x)
    found = look(copy.deepcopy(module).to(dtype), x.to(dtype))
    assert found.dtype == dtype
    assert (found.float() - expected).abs().max() < 40 * max(torch.finfo(dtype).eps, 1e-7)


@every_module
def test_autocast_gives_the_dtype_of_the_input_back(name):
    module, x = MODULES[name](), vectors()
    with torch.autocast("cpu", torch.bfloat16):
        found = look(module, x.bfloat16())
    assert found.dtype == torch.bfloat16
    assert (found.float() - look(module, x)).abs().max() < 0.2


@every_module
def test_the_input_and_every_parameter_get_a_gradient(name):
    module, x = MODULES[name](), vectors().requires_grad_()
    look(module, x).square().sum().backward()
    for tensor in (x, *module.parameters()):
        assert tensor.grad is not None
        assert tensor.grad.abs().sum() > 0


@every_module
@pytest.mark.parametrize("how", ["compile", "export"])
def test_it_compiles_and_exports_as_one_graph(failures, name, how):
    assert failures[f"{name}, {how}"] == ""


def test_every_case_of_the_child_is_looked_at(failures):
    assert set(failures) == {f"{name}, {how}" for name in MODULES for how in ("compile", "export")}
