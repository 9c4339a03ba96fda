"""Sparsemax, 1.5-entmax and alpha-entmax: values, edges, properties."""

import math
from functools import cache

import entmax as package
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from reference import entmax as reference
from regard.errors import RangeError
from regard.functional.normalisers import Entmax, entmax15, softmax, sparsemax
from regard.kernels.available import without_numba

ALPHAS = (1.05, 1.25, 1.5, 1.8, 2.0, 3.0, 5.0)
TOLERANCE = {torch.float32: 4e-7, torch.float64: 1e-14}


@pytest.fixture(params=["numba", "eager"], autouse=True)
def route(request):
    """Every test runs twice: by compiled rows and by tensor operations."""
    if request.param == "numba":
        pytest.importorskip("numba")
        yield request.param
    else:
        with without_numba():
            yield request.param


@cache
def expected_row(row, alpha):
    """Weights of one list of scores, with -inf and masked ones already taken out."""
    return reference.sparsemax(row) if alpha == 2 else reference.entmax(row, alpha)


def expected(scores, allowed, alpha):
    """Weights in float64 by the independent reference."""
    weights = torch.zeros(scores.shape, dtype=torch.float64)
    kept = allowed.expand_as(scores) & (scores > -torch.inf)
    for row, may, result in zip(*(x.flatten(0, -2) for x in (scores, kept, weights)), strict=True):
        if may.any():
            found = expected_row(tuple(row[may].tolist()), alpha)
            result[may] = torch.tensor(found, dtype=torch.float64)
    return weights


def assert_exact(weights, target, scale=1.0):
    tolerance = TOLERANCE[weights.dtype] * scale
    torch.testing.assert_close(weights.double(), target, rtol=0, atol=tolerance)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("alpha", ALPHAS)
def test_equals_the_reference_under_a_mask(alpha, dtype):
    scores = 2 * torch.randn(3, 2, 7).to(dtype)
    allowed = torch.rand(3, 1, 7) < 0.7
    allowed[1] = False
    weights = Entmax(alpha)(scores, allowed)
    assert weights.dtype == dtype
    assert_exact(weights, expected(scores, allowed, alpha))
    assert weights[~allowed.expand_as(weights)].count_nonzero() == 0


@pytest.mark.parametrize("offset", [0.0, -3e4])
@pytest.mark.parametrize("scale", [1e-4, 1e-2, 1.0, 1e4])
@pytest.mark.parametrize("alpha", ALPHAS)
def test_is_exact_for_scores_of_any_size(alpha, scale, offset):
    scores = scale * torch.randn(2, 7) + offset
    assert_exact(Entmax(alpha)(scores), expected(scores, torch.tensor(True), alpha))


AWKWARD = {
    "ties": [1.0, 0.5, 1.0, 0.5, 0.5, 1.0, -3.0],
    "all equal": [0.25] * 7,
    "huge outlier": [0.1, 0.2, 3e30, 0.3],
    "low outlier": [0.1, 0.2, -3e30, 0.3],
    "one": [-4.0],
    "two nearly equal": [1.0, 1.0 + 2**-23],
    "on the edge": [0.0, -1.0, -2.0, -0.5],
    "just inside": [0.0, -1.0 + 2**-20, -0.5 + 2**-20, -0.25 + 2**-20],
    "geometric": [-(1 - 2.0**-k) for k in range(20)],
    "minus infinity": [0.5, -math.inf, 0.4, -math.inf],
}


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("row", AWKWARD.values(), ids=AWKWARD.keys())
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_is_exact_for_awkward_rows(row, alpha, dtype):
    scores = torch.tensor([row], dtype=dtype)
    weights = Entmax(alpha)(scores)
    # Above 2, weights near the edge of the support grow like a root: digits of the input are lost.
    assert_exact(weights, expected(scores, torch.tensor(True), alpha), scale=max(1, 4 * alpha - 7))


@pytest.mark.parametrize("length", [127, 128, 129, 700])
@pytest.mark.parametrize("scale", [1e-4, 1e-2, 0.1, 1.0, 10.0])
@pytest.mark.parametrize(
    ("normaliser", "row_by_row"),
    [(sparsemax, reference.sparsemax), (entmax15, reference.entmax15)],
    ids=["sparsemax", "entmax15"],
)
def test_long_rows_are_exact(normaliser, row_by_row, scale, length):
    scores = scale * torch.randn(3, length)
    target = torch.tensor([row_by_row(row) for row in scores.tolist()], dtype=torch.float64)
    weights = normaliser(scores)
    assert_exact(weights, target)
    assert (weights.double().sum(-1) - 1).abs().max() < 1e-6


@pytest.mark.parametrize("alpha", [1.05, 1.25, 1.8, 3.0, 5.0])
@pytest.mark.parametrize("scale", [1e-4, 0.1, 1.0, 10.0])
def test_long_rows_equal_the_bisection_of_the_entmax_package(alpha, scale):
    scores = scale * torch.randn(3, 700)
    target = package.entmax_bisect(scores.double(), alpha, dim=-1, n_iter=80)
    assert_exact(Entmax(alpha)(scores), target)


def test_equals_the_entmax_package():
    scores = torch.randn(2, 3, 5, 7, dtype=torch.float64)
    for ours, theirs in ((sparsemax, package.sparsemax), (entmax15, package.entmax15)):
        torch.testing.assert_close(ours(scores), theirs(scores, dim=-1))


@pytest.mark.parametrize("alpha", ALPHAS)
def test_the_last_digits_of_the_threshold_count_in_a_long_tail(alpha):
    """One high score and thousands at the edge of the support: an error in tau is made as often.

    With v the weight of each of the thousands, ((alpha - 1) d + v^(alpha - 1))^(1 / (alpha - 1)) is
    that of the high one. Halving v, unlike tau, loses no digits, however large alpha is.
    """
    ratio, distance = alpha - 1, 0.75 / (alpha - 1) if alpha > 1.2 else 4.0
    low, high = 0.0, 1 / 5000
    for _ in range(60):
        v = (low + high) / 2
        if (ratio * distance + v**ratio) ** (1 / ratio) + 4999 * v > 1:
            high = v
        else:
            low = v
    scores = torch.full((1, 5000), -distance)
    scores[0, 17] = 0
    weights = Entmax(alpha)(scores).double()
    assert weights.sum().item() == pytest.approx(1, abs=2e-6)
    others = torch.arange(5000) != 17
    torch.testing.assert_close(
        weights[:, others], torch.full((1, 4999), v).double(), rtol=1e-4, atol=0
    )


@pytest.mark.parametrize("alpha", ALPHAS)
def test_a_row_does_not_depend_on_the_rows_beside_it(alpha):
    scores = torch.logspace(-4, 4, 9).unsqueeze(-1) * torch.randn(9, 300)
    together = Entmax(alpha)(scores)
    for row, weights in zip(scores, together, strict=True):
        alone = Entmax(alpha)(row.unsqueeze(0))[0]
        torch.testing.assert_close(alone, weights, rtol=0, atol=1e-7)


def test_neighbouring_alphas_join_up():
    scores = torch.randn(5, 7, dtype=torch.float64)
    for alpha, limit in ((2, sparsemax), (1.5, entmax15), (1, softmax)):
        for step in (1e-9, -1e-9) if alpha > 1 else (1e-9, 1e-15):
            torch.testing.assert_close(
                Entmax(alpha + step)(scores), limit(scores), rtol=0, atol=1e-7
            )
    assert torch.equal(Entmax(2)(scores), sparsemax(scores))
    assert torch.equal(Entmax(1.5)(scores), entmax15(scores))


def test_alpha_near_one_keeps_every_digit_of_softmax():
    scores = 3 * torch.randn(3, 300)
    target = scores.double().softmax(-1)
    torch.testing.assert_close(Entmax(1 + 1e-12)(scores).double(), target, rtol=5e-6, atol=0)


def test_large_alpha_is_one_hot():
    scores = torch.tensor([[0.0, 1.0, 0.9, -2.0]])
    assert Entmax(100.0)(scores).tolist() == [[0, 1, 0, 0]]


@pytest.mark.parametrize("alpha", ALPHAS)
def test_empty_rows_and_axes_give_zeros(alpha):
    scores = torch.randn(2, 3, 5)
    nothing = torch.tensor(False).expand(1, 1, 1)
    assert torch.equal(Entmax(alpha)(scores, nothing), torch.zeros(2, 3, 5))
    assert torch.equal(Entmax(alpha)(torch.full((2, 3), -torch.inf)), torch.zeros(2, 3))
    for shape in ((2, 3, 0), (2, 0, 5), (0, 3, 5)):
        assert Entmax(alpha)(torch.zeros(shape), torch.ones(shape, dtype=torch.bool)).shape == shape


@pytest.mark.parametrize("alpha", ALPHAS)
def test_masks_of_every_broadcast_shape_mean_the_same(alpha):
    scores = torch.randn(2, 3, 5, 7)
    base = torch.rand(2, 3, 5, 7) < 0.6
    masks = {
        "keys": base[0, 0, :1],
        "per batch": base[:, :1, :1],
        "per head": base[0, :, :1],
        "per query": base[0, 0],
        "whole rows": base[..., :1],
        "one column": base[:, 0, :, :1].unsqueeze(1),
        "expanded": base[:, :1, :1].expand(2, 3, 5, 7),
        "strided": base.transpose(0, 3).contiguous().transpose(0, 3),
    }
    for name, mask in masks.items():
        full = mask.expand_as(scores).clone()
        hidden = scores.masked_fill(~full, -torch.inf)
        torch.testing.assert_close(
            Entmax(alpha)(scores, mask), Entmax(alpha)(hidden), rtol=0, atol=0, msg=name
        )


def test_a_mask_with_more_axes_adds_them_to_the_weights():
    scores = torch.randn(5, 7)
    mask = torch.rand(2, 3, 5, 7) < 0.5
    torch.testing.assert_close(sparsemax(scores, mask), sparsemax(scores.expand(2, 3, 5, 7), mask))


def test_scores_need_not_be_contiguous_and_are_left_alone():
    scores = torch.randn(7, 3, 2, 5).permute(2, 1, 3, 0)
    before = scores.clone()
    for alpha in ALPHAS:
        weights = Entmax(alpha)(scores)
        torch.testing.assert_close(weights, Entmax(alpha)(scores.contiguous()))
        assert torch.equal(scores, before)


def test_half_precision_is_computed_in_float32():
    scores = torch.randn(3, 7)
    for dtype in (torch.float16, torch.bfloat16):
        rounded = scores.to(dtype)
        weights = sparsemax(rounded)
        assert weights.dtype == torch.float32
        assert torch.equal(weights, sparsemax(rounded.float()))


@pytest.mark.parametrize("alpha", ALPHAS)
def test_nan_is_seen_unless_it_is_masked(alpha):
    for place in (0, 3, 200):
        scores = torch.randn(2, 300)
        clean = scores.clone()
        scores[1, place] = torch.nan
        weights = Entmax(alpha)(scores)
        assert weights[1].isnan().any()
        assert torch.equal(weights[0], Entmax(alpha)(clean)[0])
        allowed = ~scores.isnan()
        assert torch.equal(Entmax(alpha)(scores, allowed), Entmax(alpha)(clean, allowed))


def test_threads_change_nothing():
    scores, allowed = torch.randn(3, 64, 1000), torch.rand(64, 1000) < 0.5
    for alpha in (1.25, 1.5, 2.0, 3.0):
        alone = Entmax(alpha)(scores, allowed)
        torch.set_num_threads(2)
        torch.testing.assert_close(Entmax(alpha)(scores, allowed), alone, rtol=0, atol=1e-7)
        torch.set_num_threads(1)


@pytest.mark.parametrize("alpha", [1, 1.0, 0.5, -2, math.nan, math.inf])
def test_an_impossible_alpha_is_refused_in_one_sentence(alpha):
    with pytest.raises(RangeError) as caught:
        Entmax(alpha)
    assert str(caught.value) == (
        f"entmax needs a finite alpha above 1, got {alpha}; use softmax for alpha = 1"
    )


def test_normalisers_are_plain_values():
    assert Entmax(1.25) == Entmax(1.25) != Entmax(1.3)
    assert hash(Entmax(2)) == hash(Entmax(2.0))
    assert repr(Entmax(2)) == "Entmax(alpha=2.0)"
    assert (repr(sparsemax), repr(entmax15)) == ("sparsemax", "entmax15")


number = st.floats(-30, 30, width=32)
rows = st.lists(st.tuples(number, st.booleans()), min_size=1, max_size=11)
alphas = st.sampled_from(ALPHAS) | st.floats(1.01, 8)


def tensors(row):
    scores, allowed = zip(*row, strict=True)
    return torch.tensor([scores], dtype=torch.float64), torch.tensor([allowed])


@given(row=rows, alpha=alphas)
def test_weights_are_a_distribution_over_the_allowed_keys(row, alpha):
    scores, allowed = tensors(row)
    weights = Entmax(alpha)(scores, allowed)
    assert (weights >= 0).all()
    assert weights[~allowed].count_nonzero() == 0
    assert weights.sum().item() == pytest.approx(float(allowed.any()), abs=1e-12)


@given(row=rows, alpha=alphas)
def test_higher_scores_never_get_less(row, alpha):
    scores, allowed = tensors(row)
    weights = Entmax(alpha)(scores, allowed)[allowed]
    order = scores[allowed].argsort()
    assert (weights[order].diff() >= -1e-15).all()


@given(row=rows, alpha=alphas, data=st.data())
def test_the_order_of_the_keys_does_not_matter(row, alpha, data):
    scores, allowed = tensors(row)
    order = data.draw(st.permutations(range(len(row))))
    there = Entmax(alpha)(scores[:, order], allowed[:, order])
    torch.testing.assert_close(there, Entmax(alpha)(scores, allowed)[:, order], rtol=0, atol=1e-12)


@given(row=rows, alpha=alphas, shift=st.integers(-64, 64))
def test_a_constant_added_to_a_row_does_not_matter(row, alpha, shift):
    scores, allowed = tensors(row)
    scores = (scores * 64).round() / 64  # the sum is exact, so the rows really differ by a constant
    torch.testing.assert_close(
        Entmax(alpha)(scores + shift, allowed), Entmax(alpha)(scores, allowed), rtol=0, atol=1e-12
    )


@given(row=rows, alpha=alphas, padding=st.lists(number, min_size=1, max_size=300))
def test_what_stands_in_masked_places_does_not_matter(row, alpha, padding):
    scores, allowed = tensors(row)
    longer = torch.cat([scores, torch.tensor([padding], dtype=torch.float64)], -1)
    padded = torch.cat([allowed, torch.zeros(1, len(padding), dtype=torch.bool)], -1)
    weights = Entmax(alpha)(longer, padded)
    torch.testing.assert_close(
        weights[:, : len(row)], Entmax(alpha)(scores, allowed), rtol=0, atol=1e-12
    )
    assert weights[:, len(row) :].count_nonzero() == 0


@given(row=rows, alpha=alphas)
def test_the_larger_alpha_the_fewer_keys(row, alpha):
    scores, allowed = tensors(row)
    few, many = (Entmax(a)(scores, allowed) for a in (alpha + 0.25, alpha))
    assert (few > 1e-9).sum() <= (many > 0).sum()
