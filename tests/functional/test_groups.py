"""Heads of queries that share heads of keys."""

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention
from torch.testing import assert_close

from regard import attend, masks, plan, scores, statistics, weigh
from regard.errors import ShapeError

BATCH, HEADS, QUERIES, KEYS, WIDTH = 2, 6, 5, 7, 4


@pytest.fixture(autouse=True)
def _several_blocks(small_blocks):
    """Blocks of two rows."""


def vectors(key_heads, value_heads=None, dtype=torch.float64):
    torch.manual_seed(0)
    value_heads = key_heads if value_heads is None else value_heads
    sizes = ((HEADS, QUERIES, WIDTH), (key_heads, KEYS, WIDTH), (value_heads, KEYS, 3))
    return [torch.randn(BATCH, *size, dtype=dtype, requires_grad=True) for size in sizes]


@pytest.mark.parametrize("path", ["auto", "reference", "stream", "lower"])
@pytest.mark.parametrize("groups", [1, 2, 3, 6])
def test_grouped_heads_are_those_of_torch(groups, path):
    leaves = vectors(groups)
    for _ in range(2):  # the second call of a kind may be remembered
        found = attend(*leaves, mask="causal", path=path)
    ahead = torch.ones(QUERIES, KEYS, dtype=torch.bool).tril()
    expected = scaled_dot_product_attention(*leaves, attn_mask=ahead, enable_gqa=True)
    assert_close(found, expected)
    assert_close(*(torch.autograd.grad(x.square().sum(), leaves) for x in (found, expected)))


def test_head_h_looks_at_the_head_of_its_group_by_loops():
    query, key, value = vectors(2)
    score = scores.Additive(torch.ones(WIDTH, dtype=torch.float64)) + scores.Alibi(HEADS)
    mask = masks.dense(torch.rand(BATCH, HEADS, QUERIES, KEYS) > 0.3)
    found = attend(query, key, value, score=score, mask=mask, normalise="sparsemax")
    weights = weigh(query, key, score=score, mask=mask, normalise="sparsemax")
    for h in range(HEADS):
        own = torch.stack([key[:, h // 3]] * HEADS, dim=1)
        alone = weigh(query, own, score=score, mask=mask, normalise="sparsemax")[:, h]
        assert_close(weights[:, h], alone)
        assert_close(found[:, h], alone @ value[:, h // 3])


@pytest.mark.usefixtures("without_shape_checks")
def test_values_may_be_grouped_alone():
    query, key, value = vectors(HEADS, 2)
    expected = attend(query, key, value.repeat_interleave(3, dim=1))
    assert_close(attend(query, key, value), expected)


def test_weights_and_statistics_have_the_heads_of_the_query():
    query, key, value = vectors(3)
    assert weigh(query, key, heads=[5, 0]).shape == (BATCH, 2, QUERIES, KEYS)
    assert statistics(query, key).entropy.shape == (BATCH, HEADS, QUERIES)
    assert plan(query, key, value).path == "lower"


@pytest.mark.usefixtures("without_shape_checks")
@pytest.mark.parametrize("key_heads", [4, 5, 12])
def test_heads_that_do_not_divide_are_refused(key_heads):
    with pytest.raises(ShapeError, match="leading axes that broadcast"):
        attend(*vectors(key_heads))


@pytest.mark.usefixtures("without_shape_checks")
def test_a_batch_is_no_group():
    """Three axes are a batch, and one of another size is a mistake."""
    query, key, value = (x[0] for x in vectors(2))
    with pytest.raises(ShapeError, match="leading axes that broadcast"):
        attend(query, key, value)
