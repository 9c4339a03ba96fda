"""Laws that hold for all inputs, looked for by hypothesis."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from reference import normalisers as ref_normalisers
from reference import scores as ref_scores
from reference.attention import pool
from regard import attend, masks, normalisers, scores, weigh

DISTRIBUTIONS = ["softmax", "sparsemax", "entmax15", normalisers.TopK(2), "hard"]
PATHS = ["auto", "reference", "stream"]


@pytest.fixture(autouse=True)
def _as_users_call(without_shape_checks):
    """Thousands of calls: to check the shapes of each of them would take most of the time."""


sizes = st.integers(1, 6)
seeds = st.integers(0, 10_000)


def drawn(seed, *shapes):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes]


def drawn_pairs(seed, *shape):
    return torch.rand(shape, generator=torch.Generator().manual_seed(seed + 1)) < 0.6


# --- attention ------------------------------------------------------------------------------------


@given(sizes, sizes, sizes, sizes, seeds)
def test_attention_equals_a_plain_python_reference(num_queries, num_keys, width, value_dim, seed):
    query, key, value = drawn(seed, (num_queries, width), (num_keys, width), (num_keys, value_dim))
    allowed = drawn_pairs(seed, num_queries, num_keys)
    table = ref_scores.table(ref_scores.scaled_dot, query.tolist(), key.tolist())
    weights = [
        ref_normalisers.softmax(row, may) for row, may in zip(table, allowed.tolist(), strict=True)
    ]
    expected = torch.tensor(pool(weights, value.tolist(), value_dim), dtype=torch.float64)
    for path in ("auto", "reference", "lower", "stream"):
        assert_close(attend(query, key, value, mask=allowed, path=path), expected)


@pytest.mark.parametrize("normalise", DISTRIBUTIONS, ids=str)
@given(sizes, sizes, seeds, st.floats(0.01, 100.0))
def test_weights_are_a_distribution_over_the_allowed_keys(
    normalise, num_queries, num_keys, seed, scale
):
    query, key = drawn(seed, (2, num_queries, 3), (2, num_keys, 3))
    allowed = drawn_pairs(seed, 2, num_queries, num_keys)
    weights = weigh(query * scale, key, mask=allowed, normalise=normalise)
    assert (weights >= 0).all()
    assert (weights[~allowed] == 0).all()
    assert_close(weights.sum(-1), allowed.any(-1).double())


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "score",
    [
        scores.ScaledDot(),
        scores.Euclidean(),
        scores.Gaussian(1.5),
        scores.Additive(torch.ones(3).double()),
    ],
    ids=lambda score: score.name,
)
@given(sizes, st.integers(2, 7), seeds)
@settings(max_examples=30)
def test_permuting_keys_with_their_values_changes_nothing(score, path, num_queries, num_keys, seed):
    query, key, value = drawn(seed, (num_queries, 3), (num_keys, 3), (num_keys, 2))
    order = torch.randperm(num_keys, generator=torch.Generator().manual_seed(seed))
    allowed = drawn_pairs(seed, num_queries, num_keys)
    for normalise in ("softmax", "sparsemax", "sigmoid", normalisers.TopK(2)):
        choices = {"score": score, "normalise": normalise, "path": path}
        found = attend(query, key[order], value[order], mask=allowed[:, order], **choices)
        assert_close(found, attend(query, key, value, mask=allowed, **choices))


@pytest.mark.parametrize("path", [*PATHS, "lower"])
@given(st.integers(2, 7), st.data(), seeds)
@settings(max_examples=40)
def test_a_later_token_never_changes_an_earlier_causal_output(path, length, data, seed):
    cut = data.draw(st.integers(1, length - 1))
    x, changed = drawn(seed, (2, length, 3), (2, length, 3))
    changed[:, :cut] = x[:, :cut]
    before, after = (attend(v, v, v, mask=masks.causal(), path=path) for v in (x, changed))
    assert torch.equal(before[:, :cut], after[:, :cut])
    alone = attend(*[x[:, :cut]] * 3, mask=masks.causal(), path=path)
    assert_close(alone, before[:, :cut])


@given(st.integers(1, 7), st.integers(0, 3), seeds)
def test_queries_after_a_cache_see_what_they_saw_in_one_pass(length, steps, seed):
    (x,) = drawn(seed, (length + steps, 3))
    whole = attend(x, x, x, mask=masks.causal())
    later = attend(x[length:], x, x, mask=masks.causal(offset=length))
    assert_close(later, whole[length:])


@given(sizes, seeds, st.floats(-50.0, 50.0))
def test_adding_one_number_to_all_scores_of_a_row_changes_no_distribution(num_keys, seed, shift):
    (row,) = drawn(seed, (1, num_keys))
    for normalise in DISTRIBUTIONS:
        value = normalisers.resolve(normalise)
        assert_close(value(row + shift), value(row), rtol=1e-7, atol=1e-9)


@given(sizes, sizes, seeds)
def test_a_context_lies_between_the_values_it_pools(num_queries, num_keys, seed):
    query, key, value = drawn(seed, (num_queries, 3), (num_keys, 3), (num_keys, 2))
    for normalise in DISTRIBUTIONS:
        context = attend(query, key, value, normalise=normalise)
        assert (context <= value.amax(0) + 1e-12).all()
        assert (context >= value.amin(0) - 1e-12).all()


@given(sizes, sizes, seeds)
def test_a_window_that_spans_everything_is_no_window(num_queries, num_keys, seed):
    query, key, value = drawn(seed, (num_queries, 3), (num_keys, 3), (num_keys, 2))
    wide = masks.window(10, 10)
    assert_close(attend(query, key, value, mask=wide), attend(query, key, value))
