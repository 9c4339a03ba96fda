"""Nadaraya-Watson regression as a module: against loops, and learning its width."""

import pytest
import torch
from torch.autograd import gradcheck
from torch.testing import assert_close

from reference import special_attention as reference
from regard import masks
from regard.errors import ChoiceError, RangeError
from regard.lens import capture
from regard.nn import NadarayaWatson

every_kernel = pytest.mark.parametrize("kernel", ["gaussian", "boxcar", "epanechnikov"])


def points(num_queries=5, num_keys=7, width=3):
    sizes = ((num_queries, width), (num_keys, width), (num_keys, 2))
    return [torch.randn(2, *size, dtype=torch.float64) for size in sizes]


@pytest.mark.parametrize("width", [0.9, 2.5])
@every_kernel
def test_the_regression_equals_loops_and_is_zero_out_of_reach(kernel, width):
    query, key, value = points()
    query[0, 0] = 1e3 if kernel != "gaussian" else 0
    module = NadarayaWatson(kernel, width=width).double()
    found, width = module(query, key, value), module.width.item()
    expected = [
        [reference.regression(kernel, width, x, keys, values) or [0.0, 0.0] for x in places]
        for places, keys, values in zip(query.tolist(), key.tolist(), value.tolist(), strict=True)
    ]
    assert_close(found, torch.tensor(expected, dtype=torch.float64), rtol=1e-10, atol=1e-12)
    if kernel != "gaussian":
        assert not found[0, 0].any()


@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov"])
def test_the_width_has_the_gradient_of_finite_differences(kernel):
    module = NadarayaWatson(kernel, width=1.9, learnable=True).double()
    query, key, value = points()
    query[0, 0] = 50.0

    def regression(log_width, query, key, value):
        arguments = (query, key, value, torch.tensor([4, 0]))
        return torch.func.functional_call(module, {"log_width": log_width}, arguments)

    leaves = [module.log_width.detach().clone(), query, key, value]
    assert gradcheck(regression, [x.requires_grad_() for x in leaves])


def test_far_from_all_points_a_gaussian_tends_to_the_nearest_without_a_division_by_zero():
    _, key, value = points()
    far = torch.full((2, 1, 3), 1e4, dtype=torch.float64, requires_grad=True)
    found = NadarayaWatson(width=0.01).double()(far, key, value)
    nearest = torch.cdist(far.detach(), key).argmin(-1)
    assert_close(found, value.take_along_dim(nearest.unsqueeze(-1), 1))
    found.sum().backward()
    assert far.grad.isfinite().all()


def test_the_width_is_learned_and_stays_positive():
    generator = torch.Generator().manual_seed(1)
    x = torch.linspace(0, 4, 60).unsqueeze(-1)
    y = 2 * x.sin() + x + 0.3 * torch.randn(60, 1, generator=generator)
    module = NadarayaWatson(width=3.0, learnable=True)
    others = ~masks.window(0, 0)

    def error():
        return (module(x, x, y, others) - y).square().mean()

    before = error().item()
    optimiser = torch.optim.Adam(module.parameters(), lr=0.2)
    for _ in range(40):
        optimiser.zero_grad()
        loss = error()
        loss.backward()
        optimiser.step()
        assert module.width > 0
    assert error() < before / 4
    assert 0.05 < module.width < 1


def test_a_width_that_is_not_learned_is_kept_but_is_no_parameter():
    module = NadarayaWatson(width=0.3)
    assert not list(module.parameters())
    assert module.width.item() == pytest.approx(0.3)
    other = NadarayaWatson(width=1.0)
    other.load_state_dict(module.state_dict())
    assert other.width.item() == pytest.approx(0.3)


def test_the_weights_can_be_looked_at():
    query, key, value = points()
    module = NadarayaWatson("epanechnikov", width=4.0).double()
    with capture(module) as record:
        found = module(query, key, value)
    assert_close(record[""].weights @ value, found)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: NadarayaWatson("gausian"), ChoiceError, "Did you mean 'gaussian'"),
        (lambda: NadarayaWatson(width=0.0), RangeError, "NadarayaWatson needs a positive width"),
        (lambda: NadarayaWatson("boxcar", learnable=True), ChoiceError, "the boxcar has none"),
    ],
)
@pytest.mark.usefixtures("without_shape_checks")
def test_mistakes_are_answered_in_one_sentence(call, error, message):
    with pytest.raises(error, match=message):
        call()
