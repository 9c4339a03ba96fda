"""Attention pooling against loops, and what must not change it."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.autograd import gradcheck
from torch.testing import assert_close

from reference import scores as ref_scores
from reference import special_attention as reference
from regard import masks, scores
from regard.errors import ChoiceError, DtypeError, RangeError, ShapeError
from regard.lens import capture
from regard.nn import AttentionPooling
from regard.nn.scorers import AdditiveScorer

ALLOWED = [[True, False, True, True, False, True, True], [False] * 7]
BATCH, KEYS, WIDTH, QUERIES = 2, 7, 5, 3


def sequence():
    return torch.randn(BATCH, KEYS, WIDTH, dtype=torch.float64)


def score_of(name, parameters):
    """The score by loops, from the parameters of the module."""
    if name == "additive":
        return lambda q, k: ref_scores.additive(
            parameters["score.v"], None, parameters["score.key_weight"], q, k
        )
    if name == "concat":
        return lambda q, k: ref_scores.concat(
            parameters["score.v"], parameters["score.weight"], q, k
        )
    if name == "general":
        return lambda q, k: ref_scores.general(parameters["score.weight"], q, k)
    return getattr(ref_scores, name)


@pytest.mark.parametrize(
    "name", ["dot", "scaled_dot", "cosine", "euclidean", "additive", "concat", "general"]
)
def test_pooling_equals_loops_for_every_score(name):
    pooling, x = AttentionPooling(WIDTH, QUERIES, score=name).double(), sequence()
    parameters = {key: value.tolist() for key, value in pooling.state_dict().items()}
    expected = [
        reference.pooled(parameters["queries"], keys, allowed, score_of(name, parameters))
        for keys, allowed in zip(x.tolist(), ALLOWED, strict=True)
    ]
    found = pooling(x, torch.tensor(ALLOWED))
    assert_close(found, torch.tensor(expected, dtype=torch.float64), rtol=1e-12, atol=1e-12)


def test_pooling_has_the_gradient_of_finite_differences():
    pooling, x = AttentionPooling(WIDTH, QUERIES, score="additive").double(), sequence()

    def pooled(x, *parameters):
        named = dict(zip(dict(pooling.named_parameters()), parameters, strict=True))
        return torch.func.functional_call(pooling, named, (x, torch.tensor(ALLOWED)))

    leaves = [p.detach().clone().requires_grad_() for p in pooling.parameters()]
    assert gradcheck(pooled, (x.requires_grad_(), *leaves), fast_mode=True)


def test_a_sequence_with_nothing_allowed_is_pooled_to_zero_with_zero_gradient():
    pooling, x = AttentionPooling(WIDTH, QUERIES).double(), sequence().requires_grad_()
    found = pooling(x, torch.tensor([KEYS, 0]))
    assert not found[1].any()
    found.square().sum().backward()
    assert x.grad[0].abs().sum() > 0
    assert not x.grad[1].any()


@settings(max_examples=20)
@given(st.permutations(range(KEYS)))
def test_the_order_of_the_sequence_does_not_matter(order):
    torch.manual_seed(1)
    pooling, x = AttentionPooling(WIDTH, QUERIES, normalise="sparsemax").double(), sequence()
    assert_close(pooling(x[:, order]), pooling(x), rtol=1e-10, atol=1e-12)


def test_lengths_booleans_and_masks_say_the_same():
    pooling, x = AttentionPooling(WIDTH, QUERIES), sequence().float()
    lengths = torch.tensor([3, 6])
    expected = pooling(x, lengths)
    assert_close(pooling(x, torch.arange(KEYS) < lengths[:, None]), expected)
    assert_close(pooling(x, masks.padding(lengths)), expected)
    assert_close(pooling(x[0, :3]), expected[0])


def test_other_values_than_the_keys_can_be_pooled():
    pooling, x = AttentionPooling(WIDTH, QUERIES).double(), sequence()
    value = torch.randn(BATCH, KEYS, 4, dtype=torch.float64)
    with capture(pooling) as record:
        found = pooling(x, value=value)
    assert found.shape == (BATCH, QUERIES, 4)
    assert_close(found, record[""].weights @ value)


def test_equal_scores_pool_to_the_mean():
    pooling, x = AttentionPooling(WIDTH).double(), sequence()
    torch.nn.init.zeros_(pooling.queries)
    assert_close(pooling(x), x.mean(-2, keepdim=True))


def test_a_score_may_be_a_value_or_a_module_of_another_width():
    x = sequence().float()
    weight = torch.nn.Parameter(torch.randn(2, WIDTH))
    by_value = AttentionPooling(WIDTH, QUERIES, query_dim=2, score=scores.General(weight))
    by_name = AttentionPooling(WIDTH, QUERIES, query_dim=2, score="general")
    by_name.load_state_dict({"queries": by_value.queries.data, "score.weight": weight.data})
    assert_close(by_name(x), by_value(x))
    scorer = AdditiveScorer(hidden_dim=4, query_dim=2, key_dim=WIDTH)
    assert AttentionPooling(WIDTH, query_dim=2, score=scorer)(x).shape == (BATCH, 1, WIDTH)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: AttentionPooling(0), RangeError, "AttentionPooling needs key_dim of at least 1"),
        (lambda: AttentionPooling(5, 0), RangeError, "needs num_queries of at least 1"),
        (lambda: AttentionPooling(5, score="dott"), ChoiceError, "unknown score 'dott'"),
        (lambda: AttentionPooling(5, normalise="max"), ChoiceError, "unknown normaliser 'max'"),
        (lambda: AttentionPooling(5)(torch.zeros(2, 7, 6)), ShapeError, "keys of width 5, got"),
    ],
)
def test_mistakes_are_answered_in_one_sentence(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.usefixtures("without_shape_checks")
def test_a_score_that_is_none_is_answered():
    with pytest.raises(DtypeError, match="needs score as a name, a value of"):
        AttentionPooling(5, score=3)
