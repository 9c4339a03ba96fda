"""Scores times numbers and plus tensors are what the same arithmetic on their maps is."""

import numpy
import pytest
import torch
from torch.testing import assert_close

from regard import attend, masks, plan, scores, weigh
from regard.errors import DtypeError, RangeError, ShapeError

BATCH, HEADS, QUERIES, KEYS, WIDTH = 2, 3, 5, 7, 4
DOUBLE = {"dtype": torch.float64}
TERMS = {
    "scaled_dot": scores.ScaledDot(),
    "additive": scores.Additive(torch.linspace(-1, 1, WIDTH, **DOUBLE)),
    "gaussian": scores.Gaussian(0.7),
    "alibi": scores.Alibi(HEADS),
    "scaled_dot+alibi": scores.ScaledDot() + scores.Alibi(HEADS),
    "euclidean+bias": scores.Euclidean() + torch.linspace(-1, 1, KEYS, **DOUBLE),
}
FACTORS = {
    "a number": 2.5,
    "zero": 0,
    "a negative number": -0.5,
    "of numpy": numpy.float64(1.5),
    "a tensor of one number": torch.tensor(0.7, **DOUBLE),
    "one for each head": torch.linspace(-1, 2, HEADS, **DOUBLE).view(HEADS, 1, 1),
    "one for each query": torch.linspace(-1, 2, QUERIES, **DOUBLE).view(QUERIES, 1),
    "one for each sequence": torch.linspace(-1, 2, BATCH, **DOUBLE).view(BATCH, 1, 1, 1),
}


@pytest.fixture(autouse=True)
def _several_blocks(small_blocks, without_shape_checks):
    """Blocks of two rows."""


def vectors():
    torch.manual_seed(0)
    sizes = ((QUERIES, WIDTH), (KEYS, WIDTH), (KEYS, 6))
    return [torch.randn(BATCH, HEADS, *size, requires_grad=True, **DOUBLE) for size in sizes]


def softmax_attention(table, value, allowed):
    """The context of a map of scores, by torch alone."""
    weights = torch.softmax(table.masked_fill(~allowed, -torch.inf), dim=-1)
    return weights @ value


@pytest.mark.parametrize("path", ["reference", "stream", "auto"])
@pytest.mark.parametrize("factor", FACTORS.values(), ids=FACTORS)
@pytest.mark.parametrize("term", TERMS.values(), ids=TERMS)
def test_a_factor_multiplies_the_map_in_value_and_gradient(term, factor, path):
    query, key, value = leaves = vectors()
    if isinstance(factor, torch.Tensor):
        factor = factor.clone().requires_grad_()
        leaves = [*leaves, factor]
    found = attend(query, key, value, score=factor * term, mask="causal", path=path)
    allowed = torch.ones(QUERIES, KEYS, dtype=torch.bool).tril()
    expected = softmax_attention(factor * term(query, key), value, allowed)
    assert_close(found, expected)
    gradients = [
        torch.autograd.grad(x.square().sum(), leaves, materialize_grads=True)
        for x in (found, expected)
    ]
    assert_close(*gradients)


@pytest.mark.parametrize("factor", FACTORS.values(), ids=FACTORS)
def test_an_inner_product_times_a_factor_runs_fused(factor):
    query, key, value = (x.detach() for x in vectors())
    for term in (TERMS["scaled_dot"], TERMS["scaled_dot+alibi"], TERMS["euclidean+bias"]):
        score = term * factor
        if term is not TERMS["scaled_dot"] and getattr(factor, "shape", ())[-2:] == (QUERIES, 1):
            continue  # a number per key that differs between queries is one per pair
        assert plan(query, key, value, score=score, mask="causal").path == "lower"
        found = attend(query, key, value, score=score, mask="causal")
        expected = attend(query, key, value, score=score, mask="causal", path="reference")
        assert_close(found, expected)


def test_arithmetic_is_that_of_numbers():
    query, key, _ = vectors()
    dot, cosine = scores.Dot(), scores.Cosine()
    bias = torch.randn(HEADS, QUERIES, KEYS, **DOUBLE)
    products, cosines = dot(query, key), cosine(query, key)
    for score, expected in (
        (-dot, -products),
        (dot / 4, products / 4),
        (dot / torch.tensor(4.0), products / 4),
        (dot - cosine, products - cosines),
        (dot + bias, products + bias),
        (bias + dot, products + bias),
        (dot - bias, products - bias),
        (dot + bias[0, 0], products + bias[0, 0]),
        (dot + 0.3, products + 0.3),
        (1 + dot - 3, products - 2),
        (2 * (dot + bias) / 3, 2 * (products + bias) / 3),
        (3 * (2 * dot), 6 * products),
    ):
        assert_close(score(query, key).expand_as(expected), expected)


def test_a_number_per_pair_may_have_any_axes_that_broadcast():
    query, key, _ = vectors()
    for shape in ((), (1,), (KEYS,), (QUERIES, 1), (QUERIES, KEYS), (BATCH, 1, 1, KEYS)):
        bias = torch.randn(shape, **DOUBLE)
        expected = torch.softmax(query @ key.mT + bias, dim=-1)
        assert_close(weigh(query, key, score=scores.Dot() + bias), expected)


def test_some_heads_and_rows_keep_their_factors():
    query, key, _ = vectors()
    for factor in FACTORS.values():
        choices = {"score": factor * TERMS["additive"], "mask": masks.causal(offset=1)}
        whole = weigh(query, key, **choices)
        some = weigh(query, key, **choices, heads=[2, 0], rows=[4, 1])
        assert_close(some, whole[:, [2, 0]][:, :, [4, 1]])


def test_a_shifted_product_is_a_part_of_the_map():
    query, key, _ = vectors()
    for name in ("one for each head", "one for each query", "a number"):
        score = FACTORS[name] * TERMS["scaled_dot+alibi"]
        part = score.shifted(3, 2)(query[..., 3:, :], key[..., 2:6, :])
        assert_close(part, score(query, key)[..., 3:, 2:6])


def test_a_factor_of_a_kernel_changes_no_proportion_however_far_the_keys():
    query, key, value = vectors()
    far = query + 1000  # where the kernel itself is zero in every precision
    alone = attend(far, key, value, score="gaussian", normalise="proportional")
    doubled = attend(far, key, value, score=2 * scores.Gaussian(), normalise="proportional")
    assert alone.abs().max() > 0
    assert_close(doubled, alone)


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (lambda: True * scores.Dot(), DtypeError, "by a number or by a floating.*, got bool"),
        (lambda: torch.ones(3).long() * scores.Dot(), DtypeError, "floating.* got torch.int64"),
        (lambda: scores.Dot() * float("nan"), RangeError, "by a finite number, got nan"),
        (lambda: scores.Dot() / 0, RangeError, "divided by a number other than 0"),
        (lambda: scores.Dot() + torch.ones(3).long(), DtypeError, "bias needs a floating-point"),
        (lambda: scores.Dot() * "2", TypeError, "can't multiply"),
        (lambda: scores.Dot() + "2", TypeError, "unsupported operand"),
        (lambda: scores.Dot() * scores.Dot(), TypeError, "unsupported operand"),
    ],
)
def test_what_is_no_number_is_refused(make, error, match):
    with pytest.raises(error, match=match):
        make()


@pytest.mark.parametrize("shape", [(HEADS,), (QUERIES, KEYS), (4, 1, 1), (2, 1, 1, 1, 1)], ids=str)
def test_factors_of_the_wrong_shape_are_refused(shape):
    score = (torch.ones(shape) + torch.rand(shape)).double() * scores.Dot()
    match = r"broadcasts to \(2, 3, 5, 1\), one number for each query, got .*\(H, 1, 1\)"
    with pytest.raises(ShapeError, match=match):
        attend(*vectors(), score=score)
