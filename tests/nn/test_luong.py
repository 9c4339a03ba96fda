"""Global attention with Luong's four scores, and the attentional state."""

import jaxtyping
import pytest
import torch
from torch.autograd import gradcheck
from torch.nn.utils.stateless import _reparametrize_module
from torch.testing import assert_close

from reference import decoder_attention as reference
from reference import scores as ref_scores
from regard.errors import ChoiceError, DtypeError, RangeError, ShapeError
from regard.nn import AttentionalState, LuongAttention

SCORES = {
    "dot": {},
    "general": {},
    "concat": {"hidden_dim": 2},
    "location": {"max_length": 8},
}


def made(score, normalise="softmax"):
    key_dim = 5 if score == "dot" else 3
    return LuongAttention(5, key_dim, score, normalise=normalise, **SCORES[score]).double()


def scores_by_loops(attention, state, keys):
    """The row of scores of one state, from the parameters of the module."""
    parameters = {name: p.tolist() for name, p in attention.named_parameters()}
    key = parameters.get("key_proj.weight")
    if attention.score_name == "dot":
        return [ref_scores.dot(state, k) for k in keys]
    if attention.score_name == "general":
        return [ref_scores.general(key, state, k) for k in keys]
    if attention.score_name == "location":
        return ref_scores.location(key, [state], len(keys))[0]
    joined = [[*q, *k] for q, k in zip(parameters["query_proj.weight"], key, strict=True)]
    return [ref_scores.concat(parameters["v"], joined, state, k) for k in keys]


@pytest.mark.parametrize("score", SCORES)
def test_weights_and_context_are_those_of_the_equation(score):
    attention = made(score)
    state, keys, values = (
        torch.randn(3, *shape, dtype=torch.double)
        for shape in ((5,), (7, attention.key_dim), (7, 4))
    )
    lengths = [7, 4, 0]
    memory = attention.prepare(keys, torch.tensor(lengths), values=values)
    context, weights = attention(state, memory)
    for b, length in enumerate(lengths):
        row = scores_by_loops(attention, state[b].tolist(), keys[b].tolist())
        expected = reference.soft(row, [i < length for i in range(7)], values[b].tolist())
        for found, numbers in zip((context[b], weights[b]), expected, strict=True):
            assert_close(found, torch.tensor(numbers, dtype=torch.double))


@pytest.mark.parametrize("score", SCORES)
def test_gradients_are_those_of_the_values(score):
    attention = made(score)
    names = [name for name, _ in attention.named_parameters()]
    inputs = [
        torch.randn(2, *shape, dtype=torch.double, requires_grad=True)
        for shape in ((5,), (7, attention.key_dim), (7, 4))
    ]

    def run(state, keys, values, *parameters):
        with _reparametrize_module(attention, dict(zip(names, parameters, strict=True))):
            return attention(state, attention.prepare(keys, torch.tensor([4, 0]), values=values))

    parameters = [p.detach().clone().requires_grad_() for p in attention.parameters()]
    assert gradcheck(run, (*inputs, *parameters), fast_mode=True)


@pytest.mark.parametrize("score", ["dot", "general", "concat"])
def test_the_order_of_the_keys_does_not_matter_to_what_they_mean(score):
    attention = made(score)
    state, keys = torch.randn(2, 5).double(), torch.randn(2, 7, attention.key_dim).double()
    order = torch.tensor([3, 0, 6, 1, 5, 2, 4])
    context, weights = attention(state, attention.prepare(keys))
    moved, moved_weights = attention(state, attention.prepare(keys[:, order]))
    assert_close(moved, context)
    assert_close(moved_weights, weights[:, order])


def test_location_looks_at_positions_and_not_at_keys():
    attention = made("location")
    state, keys = torch.randn(2, 5).double(), torch.randn(2, 7, 3).double()
    _, weights = attention(state, attention.prepare(keys))
    _, others = attention(state, attention.prepare(torch.randn(2, 7, 3).double()))
    assert_close(others, weights)


@pytest.mark.parametrize("score", ["general", "concat", "location"])
def test_keys_are_projected_once(score):
    attention = made(score)
    calls = []
    attention.key_proj.register_forward_hook(lambda *_: calls.append(1))
    memory = attention.prepare(torch.randn(2, 7, 3).double())
    for state in torch.randn(4, 2, 5).double():
        attention(state, memory)
    assert len(calls) == 1


def test_another_normaliser_gives_its_weights():
    attention = made("general", "sparsemax")
    _, weights = attention(
        10 * torch.randn(2, 5).double(), attention.prepare(torch.randn(2, 7, 3).double())
    )
    assert (weights == 0).any()
    assert_close(weights.sum(-1), torch.ones(2).double())


def test_more_keys_than_location_has_rows_for_are_refused():
    attention = made("location")
    attention.prepare(torch.zeros(2, 8, 3).double())
    with pytest.raises(ShapeError, match="location has rows for 8 keys, got 9; make the table"):
        attention.prepare(torch.zeros(2, 9, 3).double())


@pytest.fixture
def as_users_call(monkeypatch):
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)


@pytest.mark.usefixtures("as_users_call")
class TestChoicesThatDoNotFit:
    def test_an_unknown_score(self):
        with pytest.raises(ChoiceError, match=r"unknown score 'genral'. Did you mean 'general'\?"):
            LuongAttention(5, 3, "genral")

    def test_dot_between_two_widths(self):
        with pytest.raises(ShapeError, match="query_dim = key_dim for the score 'dot', got 5 and"):
            LuongAttention(5, 3)

    def test_location_without_a_length(self):
        with pytest.raises(ChoiceError, match="pass the most keys there can be"):
            LuongAttention(5, 3, "location")

    def test_a_length_without_location(self):
        with pytest.raises(ChoiceError, match=r"max_length=8 for 'general'; leave it out"):
            LuongAttention(5, 3, "general", max_length=8)

    def test_a_hidden_layer_where_there_is_none(self):
        with pytest.raises(ChoiceError, match="needs hidden_dim for the score 'concat' only"):
            LuongAttention(5, 3, "general", hidden_dim=2)

    @pytest.mark.parametrize(
        "more", [{"score": "concat", "hidden_dim": 0}, {"score": "location", "max_length": 0}]
    )
    def test_a_size_of_zero(self, more):
        with pytest.raises(RangeError, match="of at least 1, got 0"):
            LuongAttention(5, 3, **more)

    def test_a_size_that_is_no_whole_number(self):
        with pytest.raises(DtypeError, match="LuongAttention needs a whole number as key_dim"):
            LuongAttention(5, 3.0, "general")

    def test_a_context_of_another_width(self):
        layer = AttentionalState(5, 3, 2)
        with pytest.raises(ShapeError, match="a context of width 3 and a state of width 5, got"):
            layer(context=torch.zeros(2, 5), state=torch.zeros(2, 3))


def test_concat_is_as_wide_as_the_state_unless_told():
    assert LuongAttention(5, 3, "concat").v.shape == (5,)


def test_the_attentional_state_is_that_of_the_equation():
    layer = AttentionalState(5, 3, 2).double()
    context, state = torch.randn(4, 3).double(), torch.randn(4, 5).double()
    expected = [
        reference.attentional_state(layer.proj.weight.tolist(), c, h)
        for c, h in zip(context.tolist(), state.tolist(), strict=True)
    ]
    assert_close(
        layer(context=context, state=state), torch.tensor(expected).double(), rtol=1e-6, atol=1e-6
    )


def test_the_attentional_state_has_right_gradients():
    layer = AttentionalState(5, 3, 2).double()
    context, state = (torch.randn(4, n).double().requires_grad_() for n in (3, 5))
    assert gradcheck(lambda c, h: layer(context=c, state=h), (context, state))
