"""Scores that stay within a bound, and softmax beside a sink: plain arithmetic, every path."""

import pytest
import torch
from torch.testing import assert_close

from regard import attend, masks, normalisers, plan, scores, weigh
from regard.errors import DtypeError, RangeError, ShapeError

HEADS, QUERIES, KEYS, WIDTH = 3, 5, 7, 4
CAP = 0.7


def vectors(length=KEYS):
    sizes = ((QUERIES, WIDTH), (length, WIDTH), (length, 6))
    return [torch.randn(2, HEADS, *size, dtype=torch.float64) for size in sizes]


def capped(query, key):
    return CAP * torch.tanh(query @ key.mT * WIDTH**-0.5 / CAP)


def beside(found, sink):
    """Weights of scores, by a column that is left out."""
    column = sink.view(-1, 1, 1).expand(*found.shape[:-1], 1)
    return torch.cat([found, column], dim=-1).softmax(dim=-1)[..., :-1]


def test_soft_capped_weights_are_those_of_the_bent_scores():
    query, key, value = vectors()
    score = scores.SoftCapped(scores.ScaledDot(), CAP)
    expected = capped(query, key).softmax(dim=-1)
    assert_close(weigh(query, key, score=score), expected)
    assert_close(attend(query, key, value, score=score), expected @ value)
    assert plan(query, key, value, score=score).why.startswith("the score SoftCapped(ScaledDot")
    some = weigh(query, key, score=score, heads=[2, 0], rows=[4, 1])
    assert_close(some, expected[:, [2, 0]][:, :, [4, 1]])


def test_terms_that_are_added_are_not_bent():
    query, key, _ = vectors()
    bias = 3 * torch.randn(HEADS, QUERIES, KEYS, dtype=torch.float64)
    score = scores.SoftCapped(scores.ScaledDot(), CAP) + scores.Bias(bias)
    assert_close(weigh(query, key, score=score), (capped(query, key) + bias).softmax(dim=-1))


def test_a_sink_takes_weight_and_gives_nothing():
    query, key, value = vectors()
    sink = torch.tensor([-1.0, 0.3, 2.0], dtype=torch.float64)
    how = normalisers.SoftmaxWithSink(sink)
    allowed = torch.arange(KEYS) < torch.tensor([7, 4]).view(2, 1, 1, 1)
    found = (query @ key.mT * WIDTH**-0.5).masked_fill(~allowed, -torch.inf)
    expected = beside(found, sink)
    mask = masks.padding(torch.tensor([7, 4]))
    assert_close(weigh(query, key, normalise=how, mask=mask), expected)
    assert_close(attend(query, key, value, normalise=how, mask=mask), expected @ value)
    assert float(expected.sum(dim=-1).max()) < 1
    some = weigh(query, key, normalise=how, mask=mask, heads=[2, 0])
    assert_close(some, expected[:, [2, 0]])


def test_a_query_without_keys_gets_nothing_even_beside_a_sink():
    query, key, value = vectors()
    nobody = torch.zeros(QUERIES, KEYS, dtype=torch.bool)
    how = normalisers.SoftmaxWithSink(torch.zeros(HEADS, dtype=torch.float64))
    query.requires_grad_()
    context = attend(query, key, value, normalise=how, mask=nobody)
    context.sum().backward()
    assert not context.any()
    assert not query.grad.any()


def test_gradients_flow_through_both_into_everything():
    score = scores.SoftCapped(scores.ScaledDot(), CAP)

    def context(query, key, value, sink):
        how = normalisers.SoftmaxWithSink(sink)
        return attend(query, key, value, score=score, normalise=how, mask="causal")

    sink = torch.randn(HEADS, dtype=torch.float64)
    inputs = [x.requires_grad_() for x in (*vectors(), sink)]
    assert torch.autograd.gradcheck(context, inputs)


def test_many_rows_are_computed_in_blocks_as_in_one():
    query, key, value = (torch.randn(1, HEADS, 900, 8) for _ in range(3))
    sink = torch.randn(HEADS)
    score, how = scores.SoftCapped(scores.ScaledDot(), CAP), normalisers.SoftmaxWithSink(sink)
    assert plan(query, key, value, score=score, normalise=how).path == "stream"
    found = attend(query, key, value, score=score, normalise=how)
    bent = CAP * torch.tanh(query @ key.mT * 8**-0.5 / CAP)
    assert_close(found, beside(bent, sink) @ value, atol=1e-5, rtol=1e-5)


@pytest.mark.usefixtures("without_shape_checks")
def test_what_cannot_be_is_refused_in_a_sentence():
    with pytest.raises(RangeError, match="SoftCapped needs a positive cap, got -1"):
        scores.SoftCapped(scores.ScaledDot(), -1.0)
    with pytest.raises(DtypeError, match="sink of floating-point numbers, got int"):
        normalisers.SoftmaxWithSink(0)
    with pytest.raises(ShapeError, match=r"sink \(H,\) or \(\), got \(2, 2\)"):
        normalisers.SoftmaxWithSink(torch.zeros(2, 2))
    query, key, value = vectors()
    with pytest.raises(ShapeError, match=r"one sink for each of the heads \(3,\), got \(2,\)"):
        attend(query, key, value, normalise=normalisers.SoftmaxWithSink(torch.zeros(2)))
