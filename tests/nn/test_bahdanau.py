"""Additive attention against its equation, as loops and as the engine's own score."""

import jaxtyping
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.autograd import gradcheck
from torch.nn.utils.stateless import _reparametrize_module
from torch.testing import assert_close

from reference import decoder_attention as reference
from regard import attend, scores
from regard.errors import DtypeError, RangeError
from regard.nn import BahdanauAttention


def made(normalise="softmax"):
    return BahdanauAttention(5, 3, 7, normalise=normalise).double()


@settings(max_examples=15)
@given(
    lengths=st.lists(st.integers(0, 6), min_size=2, max_size=2),
    seed=st.integers(0, 2**16),
    size=st.sampled_from([0.1, 1.0, 30.0]),
)
def test_weights_and_context_are_those_of_the_equation(lengths, seed, size):
    torch.manual_seed(seed)
    attention = made()
    state, keys, values = (
        torch.randn(2, *shape, dtype=torch.double) for shape in ((5,), (6, 3), (6, 4))
    )
    state = state * size
    memory = attention.prepare(keys, torch.tensor(lengths), values=values)
    context, weights = attention(state, memory)
    for b, length in enumerate(lengths):
        expected = reference.bahdanau(
            attention.v.tolist(),
            attention.query_proj.weight.tolist(),
            attention.key_proj.weight.tolist(),
            state[b].tolist(),
            keys[b].tolist(),
            [i < length for i in range(6)],
            values[b].tolist(),
        )
        for found, numbers in zip((context[b], weights[b]), expected, strict=True):
            assert_close(found, torch.tensor(numbers, dtype=torch.double))


def test_it_is_the_additive_score_with_its_weights():
    attention = made("sparsemax")
    states, keys = torch.randn(2, 4, 5).double(), torch.randn(2, 6, 3).double()
    score = scores.Additive(attention.v, attention.query_proj.weight, attention.key_proj.weight)
    expected = attend(states, keys, keys, score=score, normalise="sparsemax")
    assert_close(attention.contexts(states, attention.prepare(keys)), expected)


def test_keys_are_projected_once():
    attention = made()
    calls = []
    attention.key_proj.register_forward_hook(lambda *_: calls.append(1))
    memory = attention.prepare(torch.randn(2, 6, 3).double())
    for state in torch.randn(4, 2, 5).double():
        attention(state, memory)
    assert len(calls) == 1


@pytest.mark.parametrize("lengths", [None, torch.tensor([0, 4])])
def test_gradients_are_those_of_the_values(lengths):
    attention = made()
    inputs = tuple(
        torch.randn(*s, dtype=torch.double, requires_grad=True)
        for s in ((2, 5), (2, 6, 3), (2, 6, 4))
    )
    names = [name for name, _ in attention.named_parameters()]

    def run(state, keys, values, *parameters):
        with _reparametrize_module(attention, dict(zip(names, parameters, strict=True))):
            return attention(state, attention.prepare(keys, lengths, values=values))

    parameters = tuple(p.detach().clone().requires_grad_() for p in attention.parameters())
    assert gradcheck(run, (*inputs, *parameters), fast_mode=True)


@pytest.mark.parametrize("sizes", [(0, 3, 7), (5, 0, 7), (5, 3, 0)])
def test_a_width_of_zero_is_refused(sizes):
    with pytest.raises(RangeError, match=r"BahdanauAttention needs \w+_dim of at least 1, got 0"):
        BahdanauAttention(*sizes)


def test_a_width_that_is_no_whole_number_is_refused(monkeypatch):
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
    with pytest.raises(DtypeError, match="BahdanauAttention needs a whole number as hidden_dim"):
        BahdanauAttention(5, 3, 7.0)
