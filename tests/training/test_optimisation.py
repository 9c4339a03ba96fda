"""Who learns how fast."""

import pytest
import torch

from regard.models import build
from regard.training.optimisation import adam, set_rate
from regard.training.settings import OptimisationConfig

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
