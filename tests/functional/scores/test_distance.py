"""Squared distances on fused paths: as exact as differences, wherever the vectors lie."""

import pytest
import torch

from regard import attend, masks, scores

PATHS = ("auto", "lower", "stream")


def outcome(vectors, dtype, path, **choices):
    """Context and gradients of query, key and value."""
    leaves = [x.to(dtype).requires_grad_() for x in vectors]
    context = attend(*leaves, path=path, **choices)
    upstream = torch.linspace(-1, 1, context.numel(), dtype=torch.float64).view(context.shape)
    return [context, *torch.autograd.grad(context, leaves, upstream.to(dtype))]


def check(vectors, paths=PATHS, **choices):
    """Every path in float32 is as near to float64 as the reference path in float32 is."""
    wanted = outcome(vectors, torch.float64, "reference", **choices)
    near = outcome(vectors, torch.float32, "reference", **choices)
    for path in paths:
        found = outcome(vectors, torch.float32, path, **choices)
        for exact, reference, one in zip(wanted, near, found, strict=True):
            bound = 4 * (reference - exact).abs().max() + 5e-5 * exact.abs().max()
            assert (one - exact).abs().max() <= bound, path


def normal(*shapes, seed=0):
    random = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, generator=random) for shape in shapes]


@pytest.mark.parametrize("masked", [True, False], ids=["masked", "seen"])
@pytest.mark.parametrize("far", [1e2, 1e3, 1e4, 1e9])
def test_a_first_key_far_away_spoils_nothing(far, masked):
    query, key, value = normal(*[(2, 130, 16)] * 3)
    key[:, 0] = far
    allowed = torch.ones(130, 130, dtype=torch.bool)
    allowed[:, 0] = not masked
    check((query, key, value), score="euclidean", mask=masks.dense(allowed))


@pytest.mark.parametrize("width", [1.0, 5.0, 40.0])
def test_a_range_much_wider_than_the_kernel_loses_no_digits(width):
    key = torch.arange(0.0, 4000.0, 5.0).view(1, -1, 1)
    (query,) = (torch.rand(1, 70, 1, generator=torch.Generator().manual_seed(0)) * 4000,)
    (value,) = normal((1, 800, 3))
    check((query, key, value), score=scores.Gaussian(width), normalise="proportional")


@pytest.mark.parametrize("reach", [1, 5, 10, 20, 22, 40])
def test_vectors_on_a_line_lose_no_digits_at_any_reach(reach):
    """In one dimension near keys have the most to lose: the reach is that of no cancellation."""
    query, key, value = normal((1, 140, 1), (1, 150, 1), (1, 150, 3))
    query, key = (x / x.abs().max() * reach for x in (query, key))
    check((query, key, value), score="euclidean")


@pytest.mark.parametrize("width", [3, 16, 64])
def test_vectors_of_any_width_lose_no_digits(width):
    check(normal(*[(1, 150, width)] * 3), score="euclidean")


def test_a_common_offset_is_taken_away_first():
    query, key, value = normal(*[(2, 140, 3)] * 3)
    check((query + 1000, key + 1000, value), score="euclidean")


@pytest.mark.parametrize("path", ["reference", *PATHS])
def test_large_vectors_and_a_small_width_leave_gradients_finite(path):
    query, key, value = normal(*[(1, 140, 8)] * 3)
    found = outcome(
        (1000 * query, 1000 * key, value), torch.float32, path, score=scores.Euclidean(0.1)
    )
    assert all(x.isfinite().all() for x in found)


def test_a_window_of_distances_far_away_loses_no_digits():
    query, key, value = normal(*[(1, 200, 2)] * 3)
    key[:, 3] = 1e4
    check((query, key, value), ("window", "stream"), score="euclidean", mask=masks.window(20, 3))


def test_a_width_below_all_distances_reaches_only_the_same_vector():
    (x,) = normal((5, 3))
    x = x.double()
    found = attend(x, x, x, score=scores.Gaussian(1e-300), normalise="proportional")
    torch.testing.assert_close(found, x)
