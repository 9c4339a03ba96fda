"""A bias per pair: where it fits, and how it runs."""

import pytest
import torch
from torch.testing import assert_close

from regard import attend, masks, plan, scores, weigh
from regard.errors import DtypeError, ShapeError

BATCH, HEADS, QUERIES, KEYS, WIDTH = 2, 3, 5, 7, 4
SHAPES = [(5, 7), (3, 5, 7), (2, 1, 5, 7), (2, 3, 5, 7), (3, 1, 7), (2, 1, 1, 7), (5, 1), (1, 1)]


def vectors(dtype=torch.float64):
    sizes = ((QUERIES, WIDTH), (KEYS, WIDTH), (KEYS, 6))
    return [torch.randn(BATCH, HEADS, *size, dtype=dtype, requires_grad=True) for size in sizes]


@pytest.mark.parametrize("path", ["auto", "reference", "stream"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_any_shape_that_broadcasts_is_the_additive_mask_of_torch(shape, path):
    query, key, value = vectors()
    bias = torch.randn(shape, dtype=torch.float64, requires_grad=True)
    score = scores.ScaledDot() + scores.Bias(bias)
    found = attend(query, key, value, score=score, path=path)
    expected = torch.nn.functional.scaled_dot_product_attention(
        query, key, value, attn_mask=bias.expand(BATCH, HEADS, QUERIES, KEYS)
    )
    assert_close(found, expected)
    leaves = [query, key, value, bias]
    gradients = [torch.autograd.grad(x.square().sum(), leaves) for x in (found, expected)]
    assert_close(*gradients)


def test_one_row_for_all_queries_runs_fused_and_a_number_per_pair_does_not():
    query, key, value = (x.detach().float() for x in vectors())
    per_key = scores.ScaledDot() + scores.Bias(torch.randn(HEADS, 1, KEYS))
    assert plan(query, key, value, score=per_key).path == "lower"
    per_pair = scores.ScaledDot() + scores.Bias(torch.randn(HEADS, QUERIES, KEYS))
    assert plan(query, key, value, score=per_pair).path == "reference"


def test_some_heads_and_rows_get_their_own_numbers():
    query, key, _ = vectors()
    for shape in SHAPES:
        score = scores.Dot() + scores.Bias(torch.randn(shape, dtype=torch.float64))
        choices = {"score": score, "mask": masks.causal(offset=1)}
        whole = weigh(query, key, **choices)
        some = weigh(query, key, **choices, heads=[2, 0], rows=[4, 1])
        assert_close(some, whole[:, [2, 0]][:, :, [4, 1]])


@pytest.mark.parametrize("shape", [(5, 7), (3, 5, 7), (3, 1, 7), (5, 1)], ids=str)
def test_a_shifted_bias_is_a_part_of_the_map(shape):
    query, key, _ = vectors()
    bias = scores.Bias(torch.randn(shape, dtype=torch.float64))
    whole = (scores.Dot() + bias)(query, key)
    part = (scores.Dot() + bias).shifted(3, 2)(query[..., 3:4, :], key[..., 2:6, :])
    assert_close(part, whole[..., 3:4, 2:6])
    fused = attend(
        query[..., 3:4, :],
        key[..., 2:6, :],
        key[..., 2:6, :],
        score=(scores.Dot() + bias).shifted(3, 2),
    )
    assert_close(fused, whole[..., 3:4, 2:6].softmax(-1) @ key[..., 2:6, :])
    twice = bias.shifted(1, 1).shifted(2, 1)(query[..., 3:4, :], key[..., 2:6, :])
    assert_close(twice, bias(query, key)[..., 3:4, 2:6])


@pytest.mark.parametrize("shape", [(4, 7), (5, 8), (2, 5, 7), (2, 2, 3, 5, 7), (3, 2, 3, 5, 7)])
def test_a_bias_that_does_not_broadcast_is_answered(shape):
    query, key, value = vectors()
    with pytest.raises(ShapeError, match=r"bias needs a tensor that broadcasts to the scores \(2"):
        attend(query, key, value, score=scores.Dot() + scores.Bias(torch.zeros(shape)))


@pytest.mark.usefixtures("without_shape_checks")
def test_a_bias_that_is_none_is_answered():
    with pytest.raises(DtypeError, match=r"got torch\.bool; booleans are a mask"):
        scores.Bias(torch.ones(5, 7, dtype=torch.bool))
    with pytest.raises(DtypeError, match="got list"):
        scores.Bias([1.0])
