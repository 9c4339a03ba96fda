"""Who learns how fast."""

import pytest
import torch

from reference.objective import descent as descent_by_loops
from regard.models import build
from regard.training.settings import OptimisationConfig
from regard.training.update import adam, descent, set_rate

SIZES = {"source_vocab": 11, "target_vocab": 13}


def rates(model, **config):
    """The rate of every parameter, by its name."""
    optimiser = adam(model, OptimisationConfig(**config))
    set_rate(optimiser, 0.5)
    found = {p: group["lr"] for group in optimiser.param_groups for p in group["params"]}
    return {name: found[p] for name, p in model.named_parameters()}


@pytest.mark.parametrize("name", ["bahdanau-small", "luong-general-small", "transformer-tiny"])
def test_words_learn_as_much_faster_as_they_are_told_to(name):
    found = rates(build(name, **SIZES), rate_factors={"embeddings": 3.0})
    words = {"source_embedding.weight", "target_embedding.weight"}
    words |= {"output.proj.weight", "output.proj.bias"}
    assert {one for one, rate in found.items() if rate == 1.5} == words & set(found)
    assert {rate for one, rate in found.items() if one not in words} == {0.5}


def test_what_predicts_centres_learns_as_much_slower_as_it_is_told_to():
    found = rates(
        build("luong-local-p-small", **SIZES),
        rate_factors={"embeddings": 3.0, "window_centres": 0.2},
    )
    slow = {name.rpartition("attention.")[2] for name, rate in found.items() if rate == 0.1}
    assert slow == {"position_v", "position_proj.weight"}
    assert {*found.values()} == {0.1, 0.5, 1.5}


def test_everything_learns_alike_if_nothing_else_is_said():
    assert set(rates(build("bahdanau-small", **SIZES)).values()) == {0.5}


def test_a_matrix_that_is_tied_is_of_words_once():
    tied = build("transformer-tiny", source_vocab=11, target_vocab=11, shared=True, tied=True)
    optimiser = adam(tied, OptimisationConfig(rate_factors={"embeddings": 3.0}))
    held = [parameter for group in optimiser.param_groups for parameter in group["params"]]
    assert len(held) == len(set(held)) == len(list(tied.parameters()))


def test_only_matrices_decay():
    model = build("bahdanau-small", **SIZES)
    optimiser = adam(model, OptimisationConfig(rate_factors={"embeddings": 3.0}, weight_decay=0.1))
    for group in optimiser.param_groups:
        assert {p.ndim > 1 for p in group["params"]} == {group["weight_decay"] == 0.1}


def test_states_from_before_words_had_a_rate_go_on():
    model = build("bahdanau-small", **SIZES)
    optimiser = adam(model, OptimisationConfig())
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimiser.step()
    state = optimiser.state_dict()
    for group in state["param_groups"]:
        del group["times"]
    again = adam(model, OptimisationConfig())
    again.load_state_dict(state)
    set_rate(again, 0.25)
    assert {group["lr"] for group in again.param_groups} == {0.25}


@pytest.mark.parametrize("momentum", [0.0, 0.7])
def test_descent_equals_the_loops_and_only_matrices_decay(momentum):
    torch.manual_seed(0)
    model = torch.nn.Linear(2, 3).double()
    start = {name: one.detach().clone() for name, one in model.named_parameters()}
    config = OptimisationConfig(method="sgd", momentum=momentum, weight_decay=0.3)
    optimiser = descent(model, config)
    gradients, rates = [], [0.1, 0.3, 0.2, 0.05]
    for rate in rates:
        set_rate(optimiser, rate)
        for one in model.parameters():
            one.grad = torch.randn_like(one)
        gradients.append({name: one.grad.clone() for name, one in model.named_parameters()})
        optimiser.step()
    for name, one in model.named_parameters():
        for place in range(one.numel()):
            expected = descent_by_loops(
                start[name].flatten()[place].item(),
                [each[name].flatten()[place].item() for each in gradients],
                rates,
                momentum=momentum,
                decay=0.3 if one.ndim > 1 else 0.0,
            )
            assert one.flatten()[place].item() == pytest.approx(expected, rel=1e-9)
