"""What every vision module keeps: gradients, dtypes, copies, saved states, and the look at it."""

import copy

import pytest
import torch
from torch.autograd import gradcheck
from torch.func import functional_call
from torch.testing import assert_close

from nn.vision.cases import CASES, randomised
from regard.errors import ChoiceError
from regard.lens import capture

every_case = pytest.mark.parametrize("case", CASES, ids=str)


def made(case):
    return randomised(case.make()), case.inputs()


def as_dtype(inputs, dtype):
    return tuple(x.to(dtype) if x.is_floating_point() else x for x in inputs)


@every_case
def test_inputs_and_parameters_have_the_gradients_of_finite_differences(case):
    module, inputs = made(case)
    names = [name for name, _ in module.named_parameters()]
    leaves = [x.requires_grad_() if x.is_floating_point() else x for x in inputs]
    leaves += [x.detach().requires_grad_() for x in module.parameters()]

    def call(*tensors):
        own = dict(zip(names, tensors[len(inputs) :], strict=True))
        return functional_call(module, own, tensors[: len(inputs)])

    assert gradcheck(call, leaves, fast_mode=True)


@every_case
def test_every_parameter_has_a_gradient_that_is_not_zero(case):
    module, inputs = made(case)
    module(*inputs).square().sum().backward()
    for name, parameter in module.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name
        assert parameter.grad.abs().max() > 0, name


@every_case
def test_a_saved_state_gives_the_same_numbers_in_a_new_module(case):
    module, inputs = made(case)
    other = case.make().double().eval()
    assert not torch.equal(other(*inputs), module(*inputs))
    other.load_state_dict(module.state_dict())
    assert torch.equal(other(*inputs), module(*inputs))


@every_case
def test_a_deep_copy_gives_the_same_numbers_and_has_parameters_of_its_own(case):
    module, inputs = made(case)
    expected = module(*inputs)
    twin = copy.deepcopy(module)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.zero_()
    assert torch.equal(twin(*inputs), expected)


@every_case
@pytest.mark.parametrize(
    ("dtype", "bound"), [(torch.float32, 1e-4), (torch.float16, 2e-2), (torch.bfloat16, 1e-1)]
)
def test_a_lower_precision_is_near_to_float64(case, dtype, bound):
    module, inputs = made(case)
    low, rounded = module.to(dtype), as_dtype(inputs, dtype)
    found = low(*rounded)
    assert found.dtype == dtype
    expected = low.double()(*as_dtype(rounded, torch.float64))
    assert (found.double() - expected).abs().max() <= bound * max(1, expected.abs().max())


@every_case
def test_autocast_is_near_to_float32_and_trains(case):
    module, inputs = made(case)
    module, inputs = module.float(), as_dtype(inputs, torch.float32)
    expected = module(*inputs)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = module(*inputs)
    assert (found.float() - expected).abs().max() <= 0.1 * max(1, expected.abs().max())
    found.float().square().sum().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in module.parameters())


@every_case
def test_each_element_of_a_batch_is_on_its_own(case):
    module, inputs = made(case)
    together = module(*inputs)
    alone = [module(*(x[i : i + 1] for x in inputs)) for i in range(len(inputs[0]))]
    assert_close(torch.cat(alone), together)


@every_case
def test_a_capture_shows_the_weights_and_changes_nothing(case):
    module, inputs = made(case)
    expected = module(*inputs)
    if not case.captured:
        with pytest.raises(ChoiceError, match="has none"), capture(module):
            pass
        return
    with capture(module) as record:
        found = module(*inputs)
    assert torch.equal(found, expected)
    shapes = {name: tuple(entry.weights.shape) for name, entry in record.items()}
    assert shapes == case.captured
    assert not any(entry.weights.requires_grad for entry in record.values())
