"""Keys looked at again and again: the same scores and gradients, and nothing kept too long."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch.autograd import gradgradcheck
from torch.testing import assert_close

from regard import nn, scores, weigh
from regard.functional.forms import Looks
from regard.functional.forms import tanh as tanh_cached
from regard.functional.forms import tanh as tanh_pairing
from regard.kernels.available import numba_available

pytestmark = pytest.mark.skipif(not numba_available(), reason="needs numba")


@pytest.fixture(autouse=True)
def always_worth_it(monkeypatch):
    monkeypatch.setattr(tanh_pairing, "LITTLE_COMPILED", 0)


def definition(query, key, weight):
    return torch.tanh(query.unsqueeze(-2) + key.unsqueeze(-3)) @ weight


def vectors(*shape, seed=0, scale=1.0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)) * scale


@pytest.mark.parametrize("scale", [1e-3, 1.0, 20.0, 1e3])
@pytest.mark.parametrize("leading", [(), (2,), (2, 3)])
def test_every_look_gives_the_scores_and_gradients_of_the_definition(leading, scale):
    key = vectors(*leading, 7, 5, seed=1, scale=scale).requires_grad_()
    weight = vectors(5, seed=2).requires_grad_()
    total, expected, looks = 0, 0, Looks()
    for step in range(3):
        query = vectors(*leading, 1, 5, seed=3 + step, scale=scale)
        total = total + tanh_pairing.tanh_pairing(query, key, weight, looks=looks).square().sum()
        expected = (
            expected + definition(query.double(), key.double(), weight.double()).square().sum()
        )
    assert_close(total.double(), expected, rtol=1e-5, atol=1e-6)
    found = torch.autograd.grad(total, (key, weight))
    wanted = torch.autograd.grad(expected, (key, weight))
    for mine, theirs in zip(found, wanted, strict=True):
        assert_close(mine, theirs, rtol=1e-4, atol=1e-5 * max(1.0, scale))


def test_the_query_gets_its_gradient_too():
    key, weight = vectors(2, 7, 5, seed=1), vectors(5, seed=2)
    query, looks = vectors(2, 1, 5, seed=3).requires_grad_(), Looks()
    for _ in range(2):
        found = tanh_pairing.tanh_pairing(query, key, weight, looks=looks)
    (mine,) = torch.autograd.grad(found.sum(), query)
    (theirs,) = torch.autograd.grad(definition(query, key, weight).sum(), query)
    assert_close(mine, theirs)


def test_a_key_changed_in_place_is_looked_at_anew():
    key, weight, query = vectors(2, 7, 5), vectors(5, seed=2), vectors(2, 1, 5, seed=3)
    looks = Looks()
    for _ in range(3):
        tanh_pairing.tanh_pairing(query, key, weight, looks=looks)
    key.mul_(-1)
    for _ in range(3):
        found = tanh_pairing.tanh_pairing(query, key, weight, looks=looks)
        assert_close(found, definition(query, key, weight))


def test_a_key_changed_before_the_backward_pass_is_refused():
    key, weight, query = vectors(2, 7, 5), vectors(5, seed=2), vectors(2, 1, 5, seed=3)
    looks = Looks()
    for _ in range(2):
        found = tanh_pairing.tanh_pairing(query.requires_grad_(), key, weight, looks=looks)
    key.mul_(-1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        found.sum().backward()


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_what_is_not_finite_shows_as_in_the_definition(bad):
    key, weight, query = vectors(2, 7, 5), vectors(5, seed=2), vectors(2, 1, 5, seed=3)
    key[0, 3, 2] = bad
    looks = Looks()
    for _ in range(3):
        found = tanh_pairing.tanh_pairing(query, key, weight, looks=looks)
        assert_close(found, definition(query, key, weight), equal_nan=True)


def test_what_is_kept_goes_with_its_memory():
    attention = nn.BahdanauAttention(3, 5, 7)
    memory = attention.prepare(vectors(2, 11, 5))
    for step in range(2):
        attention(vectors(2, 3, seed=step), memory)
    watched = weakref.ref(memory.looks), weakref.ref(memory.key)
    del memory
    gc.collect()
    assert watched[0]() is None and watched[1]() is None


def test_looks_are_only_for_the_key_they_were_made_of():
    """Also where a freed key leaves its address to the next."""
    weight, query, looks = vectors(5, seed=2), vectors(2, 1, 5, seed=3), Looks()
    for seed in range(5):
        key = vectors(2, 7, 5, seed=seed)
        for _ in range(3):
            found = tanh_pairing.tanh_pairing(query, key, weight, looks=looks)
            assert_close(found, definition(query, key, weight))
        del key


def test_threads_may_share_looks():
    keys = [vectors(2, 7, 5, seed=seed) for seed in range(3)]
    weight, query, looks = vectors(5, seed=2), vectors(2, 1, 5, seed=3), Looks()

    def look(step):
        key = keys[step // 2 % 3]
        found = tanh_pairing.tanh_pairing(query, key, weight, looks=looks)
        return torch.allclose(found, definition(query, key, weight), atol=1e-6)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(look, range(200)))


def test_the_second_look_has_second_derivatives():
    key, weight, query, looks = (
        *(vectors(2, 7, 5, seed=1).double(), vectors(5, seed=2).double()),
        *(vectors(2, 1, 5, seed=3).double(), Looks()),
    )
    tanh_pairing.tanh_pairing(query, key, weight, looks=looks)
    assert looks.at(key) is not None

    def function(query, weight):
        return tanh_pairing.tanh_pairing(query, key, weight, looks=looks)

    assert gradgradcheck(function, (query.requires_grad_(), weight.requires_grad_()))


def test_a_decoder_comes_here_from_its_second_step_on(monkeypatch):
    looks = []
    pair = tanh_cached.pair_cached
    monkeypatch.setattr(tanh_cached, "pair_cached", lambda *a: looks.append(1) or pair(*a))
    attention = nn.BahdanauAttention(3, 5, 7)
    memory = attention.prepare(vectors(2, 11, 5))
    for step in range(3):
        state = vectors(2, 3, seed=step)
        _, weights = attention(state, memory)
        query = attention.query_proj(state).unsqueeze(-2).double()
        expected = weigh(query, memory.key.double(), score=scores.Additive(attention.v.double()))
        assert_close(weights, expected.squeeze(-2).float())
    assert len(looks) == 2
