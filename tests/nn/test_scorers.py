"""Modules that hold the parameters of scores."""

import pytest
import torch
from torch.autograd import gradcheck
from torch.testing import assert_close

from reference import scores as reference
from regard import attend
from regard.errors import ChoiceError, RangeError
from regard.nn import Scorer, scorer
from regard.nn.scorers import head_scorer

QUERY, KEY, HIDDEN, QUERIES, KEYS = 3, 4, 5, 2, 7
SIZES = {
    "additive": {"query_dim": QUERY, "key_dim": KEY, "hidden_dim": HIDDEN},
    "concat": {"query_dim": QUERY, "key_dim": KEY, "hidden_dim": HIDDEN},
    "general": {"query_dim": QUERY, "key_dim": KEY},
    "location": {"query_dim": QUERY, "max_keys": 9},
}


def vectors():
    return torch.randn(QUERIES, QUERY).double(), torch.randn(KEYS, KEY).double()


def expected(name, p, query, key):
    pair = {
        "additive": lambda q, k: reference.additive(
            p["v"], p["query_weight"], p["key_weight"], q, k
        ),
        "concat": lambda q, k: reference.concat(p["v"], p["weight"], q, k),
        "general": lambda q, k: reference.general(p["weight"], q, k),
    }
    if name == "location":
        return reference.location(p["weight"], query, len(key))
    return reference.table(pair[name], query, key)


@pytest.mark.parametrize("name", SIZES)
def test_a_scorer_gives_the_score_of_its_parameters(name):
    module, (query, key) = scorer(name, **SIZES[name]).double(), vectors()
    held = {name: p.tolist() for name, p in module.named_parameters()}
    wanted = expected(name, held, query.tolist(), key.tolist())
    assert_close(module()(query, key), torch.tensor(wanted, dtype=torch.float64))


@pytest.mark.parametrize("name", SIZES)
def test_gradients_reach_the_parameters(name):
    module, (query, key) = scorer(name, **SIZES[name]).double(), vectors()
    names = [name for name, _ in module.named_parameters()]

    def run(*tensors):
        score = torch.func.functional_call(module, dict(zip(names, tensors, strict=True)), ())
        return attend(query, key, key, score=score)

    assert gradcheck(run, tuple(module.parameters()), fast_mode=True)


def test_an_additive_scorer_may_take_vectors_as_projected():
    module = scorer("additive", hidden_dim=QUERY).double()
    query, key = torch.randn(2, QUERY).double(), torch.randn(5, QUERY).double()
    wanted = torch.tanh(query.unsqueeze(1) + key) @ module.v
    assert_close(module()(query, key), wanted)
    assert list(module.state_dict()) == ["v"]


def test_inside_a_head_names_become_modules_and_the_rest_stays():
    assert isinstance(head_scorer("additive", 4), Scorer)
    assert head_scorer("concat", 4).weight.shape == (4, 8)
    assert head_scorer("general", 4).weight.shape == (4, 4)
    assert head_scorer("dot", 4) == "dot"
    with pytest.raises(ChoiceError, match="longest sequence"):
        head_scorer("location", 4)


def test_wrong_names_and_sizes_are_refused():
    with pytest.raises(ChoiceError, match="Did you mean 'additive'"):
        scorer("aditive", hidden_dim=3)
    with pytest.raises(ChoiceError, match="needs query_dim, key_dim, got query_dim, hidden_dim"):
        scorer("general", query_dim=3, hidden_dim=4)
    with pytest.raises(RangeError, match="max_keys of at least 1, got 0"):
        scorer("location", query_dim=3, max_keys=0)
