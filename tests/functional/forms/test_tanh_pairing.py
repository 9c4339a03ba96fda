"""Additive scores by exponentials equal additive scores by tanh, in value and gradient."""

import math
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import pytest
import torch
from torch.testing import assert_close

from regard.functional.forms import tanh as tanh_pairing_module
from regard.functional.forms import tanh_guard, tanh_tiles
from regard.functional.forms.tanh import tanh_pairing
from regard.kernels import threads
from regard.kernels.available import numba_available, without_numba

WIDTH = 7


@pytest.fixture(params=["numba", "eager"], autouse=True)
def form(request, monkeypatch):
    """Every test runs on the compiled kernels and without; nothing is too little for them."""
    for threshold in ("LITTLE_COMPILED", "LITTLE", "THIN"):
        monkeypatch.setattr(tanh_pairing_module, threshold, 0)
    if request.param == "numba" and not numba_available():
        pytest.skip("numba is not installed")
    with without_numba() if request.param == "eager" else nullcontext():
        yield request.param


def loops(query, key, weight):
    """The equation, one number at a time."""
    return [
        [math.fsum(w * math.tanh(a + b) for w, a, b in zip(weight, q, k, strict=True)) for k in key]
        for q in query
    ]


def plainly(query, key, weight):
    """The equation as a tensor of all pairs and features, in float64."""
    query, key, weight = query.double(), key.double(), weight.double()
    return torch.tanh(query.unsqueeze(-2) + key.unsqueeze(-3)) @ weight


def vectors(*shape, scale=1.0, offset=0.0, dtype=torch.float32):
    return torch.randn(*shape, dtype=dtype).mul_(scale).add_(offset).requires_grad_()


def values_and_gradients(function, query, key, weight, gradient):
    inputs = [x.detach().clone().requires_grad_() for x in (query, key, weight)]
    scores = function(*inputs)
    return scores.detach(), *torch.autograd.grad(scores, inputs, gradient.to(scores.dtype))


def assert_same(query, key, weight, *, eps=2e-6):
    """Within a few roundings of what the numbers could be: every tangent and slope is at most 1."""
    batch = torch.broadcast_shapes(query.shape[:-2], key.shape[:-2])
    gradient = torch.randn(*batch, query.shape[-2], key.shape[-2], dtype=query.dtype)
    ours = values_and_gradients(tanh_pairing, query, key, weight, gradient)
    theirs = values_and_gradients(plainly, query, key, weight, gradient)
    total, heaviest, size = weight.abs().sum(), weight.abs().max(), gradient.abs()
    bounds = (total, heaviest * size.sum(-1).max(), heaviest * size.sum(), size.sum())
    for mine, exact, bound in zip(ours, theirs, bounds, strict=True):
        assert mine.dtype == query.dtype
        assert (mine - exact).abs().max() <= eps * bound.double()


def test_scores_equal_loops_over_queries_keys_and_features():
    query, key, weight = vectors(3, WIDTH), vectors(5, WIDTH), vectors(WIDTH)
    expected = loops(query.tolist(), key.tolist(), weight.tolist())
    assert_close(tanh_pairing(query, key, weight), torch.tensor(expected), rtol=0, atol=2e-6)


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 8, 64])
def test_any_number_of_features_and_more_keys_than_one_block(width):
    assert_same(vectors(2, 19, width), vectors(2, 530, width), vectors(width))


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ((3, WIDTH), (5, WIDTH)),
        ((2, 3, WIDTH), (2, 5, WIDTH)),
        ((2, 3, WIDTH), (5, WIDTH)),
        ((3, WIDTH), (2, 5, WIDTH)),
        ((2, 1, 3, WIDTH), (1, 7, 5, WIDTH)),
        ((1, 7, 3, WIDTH), (2, 7, 5, WIDTH)),
        ((2, 7, 3, WIDTH), (1, 1, 5, WIDTH)),
    ],
)
def test_leading_axes_broadcast(query, key):
    query, key, weight = vectors(*query), vectors(*key), vectors(WIDTH)
    assert tanh_pairing(query, key, weight).shape == plainly(query, key, weight).shape
    assert_same(query, key, weight)


@pytest.mark.parametrize("offset", [0.0, 60.0, 500.0])
@pytest.mark.parametrize("shapes", [((2, 1, 3, 5), (2, 4, 5)), ((2, 3, 5), (1, 4, 5))])
def test_gradients_equal_finite_differences(shapes, offset):
    query = vectors(*shapes[0], dtype=torch.float64, offset=offset)
    key = vectors(*shapes[1], dtype=torch.float64, offset=-offset)
    leaves = (query, key, vectors(5, dtype=torch.float64))
    assert torch.autograd.gradcheck(tanh_pairing, leaves, fast_mode=True)


@pytest.mark.parametrize("key_scale", [1e-4, 0.1, 1.0, 3.0, 10.0, 40.0, 1e3, 1e4])
@pytest.mark.parametrize("query_scale", [1e-4, 0.1, 1.0, 3.0, 10.0, 40.0, 1e3, 1e4])
def test_exact_for_vectors_of_any_size(query_scale, key_scale):
    assert_same(
        vectors(41, WIDTH, scale=query_scale), vectors(37, WIDTH, scale=key_scale), vectors(WIDTH)
    )


@pytest.mark.parametrize("spread", [0.1, 1.0, 10.0, 30.0])
@pytest.mark.parametrize("shift", [-20.0, 0.0, 2.0])
@pytest.mark.parametrize("offset", [10.0, 40.0, 80.0, 1e4, -500.0])
def test_exact_where_large_offsets_cancel(offset, shift, spread):
    query = vectors(41, WIDTH, scale=spread, offset=offset + shift)
    assert_same(query, vectors(37, WIDTH, scale=spread, offset=-offset), vectors(WIDTH))
    assert_same(query, vectors(37, WIDTH, scale=spread, offset=offset), vectors(WIDTH))


@pytest.mark.parametrize("half", [30.0, 33.8, 34.0, 37.9, 42.0, 42.9, 43.1, 60.0])
@pytest.mark.parametrize("other", [20.0, 42.9, 200.0])
def test_exact_on_either_side_of_every_limit(half, other):
    offsets = torch.linspace(-1000, 1000, WIDTH)
    query = torch.linspace(-half, half, 41).unsqueeze(1) + offsets
    key = torch.linspace(-other, other, 37).unsqueeze(1) - offsets
    assert_same(query, key, vectors(WIDTH))
    assert_same(key, query, vectors(WIDTH))


def test_exact_where_every_feature_and_sentence_has_its_own_size():
    sizes = torch.tensor([1e-4, 1.0, 10.0, 50.0, 200.0, 1e4, 1.0])
    offsets = torch.tensor([0.0, 0.0, 0.0, 300.0, 0.0, 0.0, 1e4])
    query = torch.randn(3, 41, WIDTH) * sizes + offsets
    key = torch.randn(3, 37, WIDTH) * sizes.flip(0) - offsets
    query[1] *= 0.01
    key[2] *= 30
    assert_same(query, key, vectors(WIDTH))


@pytest.mark.parametrize("scale", [1.0, 20.0, 100.0, 1e3])
def test_double_precision_is_as_exact(scale):
    query = vectors(31, WIDTH, scale=scale, dtype=torch.float64)
    key = vectors(29, WIDTH, scale=scale, dtype=torch.float64)
    assert_same(query, key, vectors(WIDTH, dtype=torch.float64), eps=1e-14)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("scale", [1e-6, 1e-4, 1e-2, 0.1])
def test_small_scores_keep_their_digits(scale, dtype):
    query, key = (vectors(n, WIDTH, scale=scale, dtype=dtype) for n in (3, 5))
    weight = vectors(WIDTH, dtype=dtype)
    exact = plainly(query, key, weight).to(dtype)
    loss = 1e-4 if dtype == torch.float64 else 1.0  # of the digits that float32 has
    error = (tanh_pairing(query, key, weight) - exact).abs().max() / exact.abs().max()
    assert error < 3e-6 * loss


def test_a_series_meets_the_exponentials_where_it_ends():
    for dtype, small in tanh_guard.SMALL.items():
        key = torch.full((1, 1, 1), small, dtype=dtype)
        exact = torch.tanh(key)
        series = tanh_guard.series_pair(torch.zeros_like(key), key, torch.ones(1, dtype=dtype))
        assert_close(series, exact, rtol=torch.finfo(dtype).eps, atol=0)


def test_heavy_weights_do_not_overflow():
    query, key = vectors(3, 8, scale=9.0), vectors(5, 8, scale=9.0)
    for weight in (torch.full((8,), 1e30), torch.randn(8) * 1e36):
        assert_same(query, key, weight)


def test_infinite_vectors_have_tangents_of_one():
    query, key, weight = torch.randn(5, WIDTH), torch.randn(3, WIDTH), torch.randn(WIDTH)
    query[1], query[2] = math.inf, -math.inf
    query[3, 2], query[4, 5], key[1, 0] = math.inf, -math.inf, math.inf
    scores = tanh_pairing(query, key, weight)
    exact = plainly(query, key, weight).float()
    assert_close(scores, exact, rtol=0, atol=4e-6, equal_nan=True)
    assert_close(scores[1], weight.sum().expand(3))
    assert_close(scores[2, [0, 2]], -weight.sum().expand(2))
    assert scores[2, 1].isnan()  # −inf + inf


def test_gradients_of_infinite_vectors_vanish():
    query, key, weight = vectors(5, WIDTH), vectors(3, WIDTH), vectors(WIDTH)
    with torch.no_grad():
        query[1], key[2, 3] = math.inf, math.inf
    tanh_pairing(query, key, weight).sum().backward()
    assert query.grad.isfinite().all() and key.grad.isfinite().all()
    assert query.grad[1].abs().max() < 1e-6 and key.grad[2, 3].abs() < 1e-6
    assert_close(weight.grad, torch.tanh(query.unsqueeze(1) + key).sum((0, 1)))


def test_a_nan_shows_where_it_has_a_part_and_nowhere_else():
    query, key, weight = vectors(5, WIDTH), vectors(3, WIDTH), vectors(WIDTH)
    with torch.no_grad():
        query[4, 2] = math.nan
    scores = tanh_pairing(query, key, weight)
    assert scores[4].isnan().all() and scores[:4].isfinite().all()
    scores[:4].sum().backward()
    expected = values_and_gradients(plainly, query, key, weight, torch.ones(5, 3))[1]
    assert_close(query.grad[:4], expected[:4])
    assert key.grad[:, 2].isnan().all() and key.grad[:, [0, 1, 3, 4, 5, 6]].isfinite().all()


@pytest.mark.parametrize(
    ("queries", "keys", "width"), [(0, 3, 5), (2, 0, 5), (2, 3, 0), (0, 0, 5), (0, 0, 0)]
)
def test_nothing_to_pair_is_an_empty_or_zero_map(queries, keys, width):
    query, key, weight = vectors(2, queries, width), vectors(2, keys, width), vectors(width)
    scores = tanh_pairing(query, key, weight)
    assert scores.shape == (2, queries, keys)
    scores.sum().backward()
    assert all(not x.grad.any() for x in (query, key, weight))


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_only_vectors_are_kept_for_the_backward_pass(scale):
    query, key, weight = vectors(40, 3, scale=scale), vectors(50, 3, scale=scale), vectors(3)
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(lambda x: kept.append(x) or x, lambda x: x):
        tanh_pairing(query, key, weight)
    assert kept
    assert max(x.numel() for x in kept) < 40 * 50


def test_no_tensor_of_pairs_and_features_is_made(monkeypatch, form):
    monkeypatch.setattr(tanh_tiles, "TILE", 2**12)

    class Largest(torch.utils._python_dispatch.TorchDispatchMode):
        numel = 0

        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            result = function(*args, **(kwargs or {}))
            if isinstance(result, torch.Tensor):
                self.numel = max(self.numel, result.numel())
            return result

    query, key, weight = vectors(128, 64), vectors(96, 64), vectors(64)
    with Largest() as made:
        tanh_pairing(query, key, weight).sum().backward()
    assert 128 * 96 <= made.numel <= 8 * (128 + 96) * 64


def test_inputs_and_gradients_are_left_as_they_were():
    for scale in (1.0, 300.0):
        inputs = [vectors(3, WIDTH, scale=scale, dtype=torch.float64) for _ in range(2)]
        inputs.append(vectors(WIDTH, dtype=torch.float64))
        gradient = torch.randn(3, 3, dtype=torch.float64)
        before = [x.detach().clone() for x in (*inputs, gradient)]
        torch.autograd.grad(tanh_pairing(*inputs), inputs, gradient)
        assert all(torch.equal(x, y) for x, y in zip((*inputs, gradient), before, strict=True))


def test_views_are_paired_like_their_copies():
    query, key = vectors(WIDTH, 3).mT, vectors(10, 2, WIDTH)[::2, 1]
    weight = vectors(2 * WIDTH)[::2]
    assert_close(
        tanh_pairing(query, key, weight),
        tanh_pairing(query.clone(), key.clone(), weight.clone()),
        rtol=0,
        atol=0,
    )
    tanh_pairing(query, key, weight).sum().backward()  # an expanded gradient


def test_two_python_threads_at_once(form, monkeypatch):
    torch.set_num_threads(2)
    monkeypatch.setattr(threads, "WORTH_A_THREAD", 1e-9)
    weight = torch.randn(WIDTH)
    cases = [(torch.randn(2, 50 + i, WIDTH), torch.randn(2, 60, WIDTH)) for i in range(4)]

    def scores(case):
        with without_numba() if form == "eager" else nullcontext():
            query, key = (x.clone().requires_grad_() for x in case)
            result = tanh_pairing(query, key, weight)
            return result.detach(), *torch.autograd.grad(result.square().sum(), (query, key))

    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(scores, cases))
    for one, alone in zip(together, map(scores, cases), strict=True):
        for mine, expected in zip(one, alone, strict=True):
            assert_close(mine, expected, rtol=1e-4, atol=1e-4)


def test_the_number_of_threads_changes_nothing(monkeypatch):
    monkeypatch.setattr(threads, "WORTH_A_THREAD", 1e-9)
    query, key, weight = vectors(3, 7, WIDTH), vectors(3, 600, WIDTH), vectors(WIDTH)
    gradient = torch.randn(3, 7, 600)
    results = []
    for count in (1, 2, 5):
        torch.set_num_threads(count)
        results.append(values_and_gradients(tanh_pairing, query, key, weight, gradient))
    for result in results[1:]:
        for mine, expected in zip(result, results[0], strict=True):
            assert_close(mine, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("scale", [0.01, 1.0])
def test_autocast_does_not_lower_the_arithmetic(scale):
    query, key = vectors(3, WIDTH, scale=scale), vectors(5, WIDTH, scale=scale)
    weight = vectors(WIDTH)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        scores = tanh_pairing(query, key, weight)
    assert_close(scores, plainly(query, key, weight).float(), rtol=0, atol=2e-6)


def test_features_are_wide_only_when_both_sides_are():
    narrow, wide = torch.linspace(-20, 20, 11), torch.linspace(-80, 80, 11)
    infinite = torch.tensor([-math.inf, 3.0, math.inf])
    for query, key, expected in (
        (narrow, narrow, []),
        (narrow + 500, narrow - 500, []),
        (wide, narrow + 500, []),
        (narrow - 1e6, wide, []),
        (infinite, narrow, []),
        (wide, wide, [0]),
        (infinite, infinite, [0]),
        (narrow * math.nan, narrow, [0]),
    ):
        query, key = query.view(1, -1, 1), key.view(1, -1, 1)
        found = tanh_guard.exponentials(query, key, size=tanh_guard.largest(query, key))
        assert found.wide == expected


def test_little_work_follows_the_definition(monkeypatch):
    monkeypatch.undo()
    query, key, weight = vectors(2, 3, WIDTH), vectors(2, 5, WIDTH), vectors(WIDTH)
    exact = torch.tanh(query.unsqueeze(-2) + key.unsqueeze(-3)) @ weight
    assert torch.equal(tanh_pairing(query, key, weight), exact)
