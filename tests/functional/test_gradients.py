"""Gradients against finite differences, in float64, under a mask that leaves a row empty."""

from functools import partial

import pytest
import torch
from torch.autograd import gradcheck as full_gradcheck
from torch.autograd import gradgradcheck

from functional.cases.call import corner, inputs
from functional.cases.normalisers import NORMALISERS
from functional.cases.scores import SCORE, SCORES
from regard import attend, masks, weigh

ROWS, COLUMNS = 3, 4
ALLOWED = torch.tensor(
    [[True, False, True, True], [False, False, False, False], [True, True, False, True]]
)
"""The second query has no key."""


# One random direction in place of every single number: as strict in kind, far faster.
gradcheck = partial(full_gradcheck, fast_mode=True)


@pytest.fixture(autouse=True)
def _several_blocks(small_blocks):
    """Three queries are two blocks."""


def small_inputs(score):
    """A corner of the usual tensors: finite differences call the function once per number."""
    query, key, value, parameters = inputs(score)
    vectors = query[0, :, :ROWS], key[0, :, :COLUMNS], value[0, :, :COLUMNS, :2]
    small = {name: corner(name, x, ROWS, COLUMNS) for name, x in parameters.items()}
    leaves = [x.detach().clone().requires_grad_() for x in (*vectors, *small.values())]
    return tuple(leaves), tuple(small)


def attention_of(score, names, normalise, path):
    def function(query, key, value, *tensors):
        made = score.make(**dict(zip(names, tensors, strict=True)))
        return attend(query, key, value, score=made, mask=ALLOWED, normalise=normalise, path=path)

    return function


@pytest.mark.parametrize("path", ["reference", "stream"])
@pytest.mark.parametrize("score", SCORES, ids=str)
def test_every_score_has_the_gradient_of_finite_differences(score, path):
    leaves, names = small_inputs(score)
    assert gradcheck(attention_of(score, names, "softmax", path), leaves)


@pytest.mark.parametrize("path", ["reference", "stream"])
@pytest.mark.parametrize("normaliser", NORMALISERS, ids=str)
def test_every_normaliser_has_the_gradient_of_finite_differences(normaliser, path):
    leaves, names = small_inputs(SCORE["scaled_dot"])
    assert gradcheck(
        attention_of(SCORE["scaled_dot"], names, normaliser.value, path), leaves, fast_mode=True
    )


@pytest.mark.parametrize("score", ["scaled_dot", "general", "cosine", "euclidean", "location"])
def test_the_fused_path_has_the_gradient_of_finite_differences(score):
    leaves, names = small_inputs(SCORE[score])
    assert gradcheck(attention_of(SCORE[score], names, "softmax", "lower"), leaves)


def test_the_window_path_has_the_gradient_of_finite_differences():
    leaves, _ = small_inputs(SCORE["scaled_dot"])
    banded = masks.window(1, 0)
    assert gradcheck(lambda *x: attend(*x, mask=banded, path="window"), leaves)


def test_a_kernel_in_proportion_has_the_gradient_of_finite_differences():
    score = SCORE["gaussian"]
    leaves, names = small_inputs(score)
    for path in ("reference", "stream", "lower"):
        assert gradcheck(attention_of(score, names, "proportional", path), leaves)


def test_the_reference_can_be_differentiated_twice():
    leaves, names = small_inputs(SCORE["general"])
    assert gradgradcheck(attention_of(SCORE["general"], names, "softmax", "reference"), leaves)


def test_weights_carry_gradients_too():
    (query, key, _), _ = small_inputs(SCORE["scaled_dot"])
    assert gradcheck(lambda q, k: weigh(q, k, mask=ALLOWED), (query, key))
    assert gradcheck(
        lambda q, k: weigh(q, k, mask=ALLOWED, rows=[2, 0]), (query, key), fast_mode=True
    )
    assert gradcheck(
        lambda q, k: weigh(q, k, mask=ALLOWED, columns="sum"), (query, key), fast_mode=True
    )
