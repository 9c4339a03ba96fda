"""The same numbers as torch's own attention."""

import pytest
import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention
from torch.testing import assert_close

from regard import attend, masks, scores, weigh

PATHS = pytest.mark.parametrize("path", ["auto", "reference", "lower", "stream"])


def vectors(num_queries=5, num_keys=7, dtype=torch.float64):
    return [
        torch.randn(2, 3, *shape, dtype=dtype, requires_grad=True)
        for shape in ((num_queries, 4), (num_keys, 4), (num_keys, 6))
    ]


def both(ours, theirs, leaves):
    """Contexts and gradients of two functions of the same leaves."""
    upstream = torch.randn_like(ours)
    return tuple(
        (context, *torch.autograd.grad(context, leaves, upstream)) for context in (ours, theirs)
    )


@PATHS
@pytest.mark.parametrize("scale", [None, 0.7])
def test_plain_attention_is_that_of_torch(path, scale):
    leaves = vectors()
    ours = attend(*leaves, score=scores.ScaledDot(scale), path=path)
    assert_close(*both(ours, scaled_dot_product_attention(*leaves, scale=scale), leaves))


@PATHS
@pytest.mark.parametrize("lengths", [(5, 5), (5, 7), (7, 5)])
def test_causal_attention_is_that_of_torch(path, lengths):
    leaves = vectors(*lengths)
    ours = attend(*leaves, mask="causal", path=path)
    assert_close(*both(ours, scaled_dot_product_attention(*leaves, is_causal=True), leaves))


@PATHS
def test_a_boolean_mask_means_what_it_means_to_torch(path):
    leaves = vectors()
    allowed = torch.rand(2, 1, 5, 7) < 0.5
    allowed[0, 0, 3] = False
    ours = attend(*leaves, mask=allowed, path=path)
    assert_close(*both(ours, scaled_dot_product_attention(*leaves, attn_mask=allowed), leaves))


@PATHS
def test_a_position_bias_is_an_additive_mask_of_torch(path):
    leaves = vectors(6, 6)
    slopes = torch.tensor([1 / 16, 1 / 256, 1 / 4], dtype=torch.float64).view(3, 1, 1)
    offsets = torch.arange(6) - torch.arange(6).unsqueeze(-1)
    bias = (slopes * offsets).masked_fill(offsets > 0, -torch.inf)
    ours = attend(
        *leaves, score=scores.ScaledDot() + scores.Alibi(3), mask=masks.causal(), path=path
    )
    assert_close(*both(ours, scaled_dot_product_attention(*leaves, attn_mask=bias), leaves))


@PATHS
def test_several_heads_with_copied_weights_are_multihead_attention(path):
    module = nn.MultiheadAttention(12, 3, bias=False, batch_first=True, dtype=torch.float64)
    query, memory = (torch.randn(2, n, 12, dtype=torch.float64) for n in (5, 7))
    padded = torch.tensor([[False] * 7, [False] * 4 + [True] * 3])
    theirs, their_weights = module(
        query, memory, memory, key_padding_mask=padded, average_attn_weights=False
    )
    weights = module.in_proj_weight.chunk(3)
    inputs = (query, memory, memory)
    heads = [
        (x @ w.T).unflatten(-1, (3, 4)).transpose(1, 2)
        for x, w in zip(inputs, weights, strict=True)
    ]
    mask = masks.padding([7, 4])
    ours = attend(*heads, mask=mask, path=path).transpose(1, 2).flatten(2)
    assert_close(ours @ module.out_proj.weight.T, theirs)
    assert_close(weigh(*heads[:2], mask=mask), their_weights)
