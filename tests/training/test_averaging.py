import pytest
import torch
from torch import nn

from reference.objective import moving_average
from regard.errors import RangeError
from regard.models import build
from regard.training.update import Averaged


def values(module):
    return {name: value.detach().clone() for name, value in module.named_parameters()}


def test_it_is_the_moving_average_of_every_number():
    module = nn.Linear(2, 3, dtype=torch.float64)
    average = Averaged(module, 0.3)
    seen = [values(module)]
    for step in range(1, 8):
        with torch.no_grad():
            for parameter in module.parameters():
                parameter += torch.randn(parameter.shape, dtype=torch.float64)
        average.update(step)
        seen.append(values(module))
    for name, found in average.state_dict().items():
        for place in range(found.numel()):
            numbers = [one[name].flatten()[place].item() for one in seen]
            expected = moving_average(numbers[0], numbers[1:], 0.3)
            assert found.flatten()[place].item() == pytest.approx(expected, rel=1e-12)


def test_inside_the_block_the_averages_are_the_parameters_and_afterwards_they_are_not():
    module = nn.Linear(2, 3)
    average = Averaged(module, 0.9)
    started = values(module)
    with torch.no_grad():
        module.weight += 1
    inside, outside = values(module), average.state_dict()["weight"].clone()
    with average.in_place():
        assert all(torch.equal(values(module)[name], started[name]) for name in started)
    assert all(torch.equal(values(module)[name], inside[name]) for name in inside)
    assert torch.equal(average.state_dict()["weight"], outside)


def test_after_an_error_inside_the_block_everything_is_as_before():
    module = nn.Linear(2, 3)
    average = Averaged(module, 0.9)
    with torch.no_grad():
        module.weight += 1
    before = values(module)
    with pytest.raises(KeyError), average.in_place():
        raise KeyError
    assert all(torch.equal(values(module)[name], before[name]) for name in before)


def test_a_decay_of_zero_does_without_an_average():
    module = nn.Linear(2, 3)
    average = Averaged(module, 0.0)
    with torch.no_grad():
        module.weight += 1
    before = values(module)
    average.update(1)
    with average.in_place():
        assert torch.equal(module.weight, before["weight"])
    assert average.state_dict() == {}


def test_tied_weights_have_their_average_under_every_name():
    model = build("transformer-tiny", source_vocab=5, target_vocab=7, model_dim=4, hidden_dim=6)
    average = Averaged(model, 0.9)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 1
    average.update(1)
    other = build("transformer-tiny", source_vocab=5, target_vocab=7, model_dim=4, hidden_dim=6)
    other.load_state_dict({**model.state_dict(), **average.state_dict()})
    with average.in_place():
        for name, value in model.state_dict().items():
            assert torch.equal(value, other.state_dict()[name]), name


def test_it_goes_on_from_its_state():
    module = nn.Linear(2, 3)
    average, other = Averaged(module, 0.9), Averaged(module, 0.9)
    with torch.no_grad():
        module.weight += 1
    average.update(1)
    other.load_state_dict({name: value.clone() for name, value in average.state_dict().items()})
    assert torch.equal(other.state_dict()["weight"], average.state_dict()["weight"])


@pytest.mark.parametrize("decay", [-0.1, 1.0])
def test_a_decay_that_keeps_everything_is_refused(decay):
    with pytest.raises(RangeError, match=f"a decay from 0 to below 1, got {decay}"):
        Averaged(nn.Linear(1, 1), decay)
