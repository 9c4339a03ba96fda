"""Sequences longer than a block, a tile and a band, with the engine as it is shipped."""

import pytest
import torch
from torch.testing import assert_close

from regard import attend, masks, normalisers, plan, scores, weigh
from regard.errors import ChoiceError

QUERIES, KEYS, HEADS = 331, 389, 3

MASKS = {
    "none": lambda: None,
    "causal": masks.causal,
    "a cache": lambda: masks.causal(offset=58),
    "window": lambda: masks.window(20, 3),
    "window of the past": lambda: masks.window(70, 0) & masks.causal(),
    "padding": lambda: masks.padding([389, 100]),
    "causal and padding": lambda: masks.causal() & masks.padding([0, 200]),
    "document": lambda: masks.document(
        torch.arange(QUERIES).div(90, rounding_mode="floor"),
        torch.arange(KEYS).div(110, rounding_mode="floor"),
    ),
    "blocks": lambda: masks.blocks(48),
    "window and global tokens": lambda: masks.window(9, 9) | masks.global_tokens([0, 200]),
    "strided": lambda: masks.strided(7) & masks.causal(),
    "not a window": lambda: ~masks.window(150, 150),
}
CHOICES = {
    "scaled dot": {},
    "euclidean": {"score": scores.Euclidean(3.0)},
    "alibi": {"score": scores.ScaledDot() + scores.Alibi(HEADS)},
    "additive": {"score": scores.Additive(torch.linspace(-1, 1, 8).double())},
    "sparsemax": {"normalise": "sparsemax"},
    "entmax": {"normalise": normalisers.Entmax(1.3)},
    "sigmoid": {"normalise": "sigmoid"},
}


def vectors():
    generator = torch.Generator().manual_seed(1)
    shapes = ((QUERIES, 8), (KEYS, 8), (KEYS, 5))
    return [
        torch.randn(2, HEADS, *shape, generator=generator, dtype=torch.float64) for shape in shapes
    ]


def run(path, **choices):
    leaves = [x.requires_grad_() for x in vectors()]
    context = attend(*leaves, path=path, **choices)
    upstream = torch.randn(
        context.shape, generator=torch.Generator().manual_seed(2), dtype=torch.float64
    )
    return context, torch.autograd.grad(context, leaves, upstream)


@pytest.mark.parametrize("choices", CHOICES.values(), ids=CHOICES)
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_many_blocks_equal_the_whole_map(mask, choices):
    expected = run("reference", mask=mask(), **choices)
    for path in ("auto", "stream", "lower", "window"):
        try:
            found = run(path, mask=mask(), **choices)
        except ChoiceError:
            assert path in ("lower", "window")
            continue
        assert_close(found, expected, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_dropout_over_many_blocks_is_that_of_the_whole_map(mask):
    def dropped(path):
        generator = torch.Generator().manual_seed(3)
        return run(path, mask=mask(), dropout=0.3, generator=generator)

    expected = dropped("reference")
    for path in ("auto", "stream"):
        assert_close(dropped(path), expected, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_the_weights_of_many_blocks_pool_to_the_context(mask):
    query, key, value = vectors()
    weights = weigh(query, key, mask=mask())
    assert_close(weights @ value, attend(query, key, value, mask=mask(), path="reference"))
    rows = [330, 5, 200]
    assert_close(weigh(query, key, mask=mask(), rows=rows), weights[..., rows, :])


def test_each_path_is_chosen_by_itself_somewhere():
    """Otherwise "auto" above would prove nothing about it."""
    query, key, value = (x.float() for x in vectors())
    chosen = {
        plan(query, key, value, mask=mask(), **choices).path
        for mask in MASKS.values()
        for choices in ({}, {"normalise": "sparsemax"})
    }
    assert chosen >= {"lower", "stream", "window"}
