"""The backward pass over the support, against automatic differentiation over all pairs."""

import pytest
import torch
from torch.testing import assert_close

from regard.functional.attend import attend
from regard.functional.engine import sparse, stream
from regard.functional.engine.sparse import is_sparse
from regard.functional.normalisers import Entmax
from regard.kernels.available import numba_available
from regard.kernels.support_numba import support_backward

pytestmark = pytest.mark.skipif(not numba_available(), reason="needs numba")


def case(dtype=torch.float64):
    generator = torch.Generator().manual_seed(0)
    sizes = {"query": (2, 3, 5), "key": (2, 71, 5), "value": (2, 71, 7), "gradient": (2, 3, 7)}
    tensors = [torch.randn(size, generator=generator, dtype=dtype) for size in sizes.values()]
    tensors[0] *= 3
    return tensors


@pytest.mark.parametrize("alpha", [1.3, 1.5, 1.8, 2.0])
def test_gradients_equal_those_over_all_pairs(alpha):
    query, key, value, gradient = case()
    leaves = [x.requires_grad_() for x in (query, key, value)]
    weights = Entmax(alpha)(0.7 * query @ key.mT)
    expected = torch.autograd.grad(weights @ value, leaves, gradient)
    found = support_backward(weights, query, key, value, gradient, alpha=alpha, scale=0.7)
    assert (weights == 0).any() and (weights > 0).sum() > 2 * 3
    for ours, theirs in zip(found, expected, strict=True):
        assert_close(ours, theirs)


def test_a_row_without_any_weight_has_no_gradient():
    query, key, value, gradient = case()
    weights = torch.zeros(2, 3, 71, dtype=torch.float64)
    for found in support_backward(weights, query, key, value, gradient, alpha=2.0, scale=1.0):
        assert_close(found, torch.zeros_like(found))


def test_few_weights_are_sparse_and_many_are_not():
    weights = torch.zeros(2, 3, 64)
    weights[..., :2] = 0.5
    assert is_sparse(weights)
    weights[..., :9] = 0.5
    assert not is_sparse(weights)


@pytest.mark.parametrize(("sharpness", "followed"), [(4.0, True), (0.01, False)])
@pytest.mark.parametrize("normalise", ["sparsemax", "entmax15"])
def test_the_streamed_path_follows_the_support_where_it_is_sparse(
    normalise, sharpness, followed, monkeypatch
):
    calls = []

    def spy(*arguments):
        calls.append(arguments)
        return sparse.support_gradients(*arguments)

    monkeypatch.setattr(stream, "support_gradients", spy)
    query, key, value, gradient = case()
    leaves = [x.requires_grad_() for x in (sharpness * query, key, value)]
    ours, theirs = (
        torch.autograd.grad(attend(*leaves, normalise=normalise, path=path), leaves, gradient)
        for path in ("stream", "reference")
    )
    assert bool(calls) == followed
    for one, other in zip(ours, theirs, strict=True):
        assert_close(one, other)
