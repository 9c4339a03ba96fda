"""Relative positions as modules: ALiBi, one number, or one vector per distance."""

import pytest
import torch
from torch.autograd import gradcheck
from torch.testing import assert_close

from reference import positions as ref
from reference import scores as ref_scores
from regard import attend, masks, plan, positions, scores
from regard.errors import RangeError

HEADS, QUERIES, KEYS, DIM, REACH = 3, 5, 7, 4, 2


def vectors(*shape):
    return torch.randn(*shape, dtype=torch.float64)


MODULES = {
    "Alibi": lambda: positions.Alibi(HEADS),
    "RelativeBias": lambda: positions.RelativeBias(HEADS, REACH),
    "T5Bias": lambda: positions.T5Bias(HEADS, num_buckets=4, max_distance=3),
    "ShawKeys": lambda: positions.ShawKeys(DIM, REACH),
}
every_module = pytest.mark.parametrize("name", MODULES)


@pytest.mark.parametrize("start", [0, 6])
def test_alibi_is_slope_times_distance(start):
    query, key = vectors(2, HEADS, QUERIES, DIM), vectors(2, HEADS, KEYS, DIM)
    found = positions.Alibi(HEADS).term(start)(query, key)
    slopes = ref_scores.alibi_slopes(HEADS)
    expected = [
        [[ref_scores.alibi(m, start + i, j) for j in range(KEYS)] for i in range(QUERIES)]
        for m in slopes
    ]
    assert_close(found, torch.tensor(expected, dtype=torch.float64).expand_as(found))


@pytest.mark.parametrize("num_heads", [8, 12])
def test_alibi_has_the_weights_that_bloom_has_below_the_diagonal(num_heads):
    bloom = pytest.importorskip("transformers.models.bloom.modeling_bloom")
    query, key = torch.randn(num_heads, KEYS, DIM), torch.randn(num_heads, KEYS, DIM)
    theirs = bloom.build_alibi_tensor(torch.ones(1, KEYS), num_heads, torch.float32)  # (H, 1, K)
    plain = query @ key.mT / DIM**0.5 + theirs
    hidden = torch.ones(KEYS, KEYS, dtype=torch.bool).triu(1)
    expected = plain.masked_fill(hidden, -torch.inf).softmax(-1) @ key
    score = scores.ScaledDot() + positions.Alibi(num_heads).term()
    assert_close(attend(query, key, key, score=score, mask="causal"), expected)


@pytest.mark.parametrize("start", [0, 6])
def test_a_relative_bias_is_the_entry_of_the_clipped_distance(start):
    module = positions.RelativeBias(HEADS, REACH).double()
    query, key = vectors(2, HEADS, QUERIES, DIM), vectors(2, HEADS, KEYS, DIM)
    found = module.term(start)(query, key)
    expected = [
        [[ref_scores.relative(row, start + i, j) for j in range(KEYS)] for i in range(QUERIES)]
        for row in module.table.tolist()
    ]
    assert_close(found, torch.tensor(expected, dtype=torch.float64).expand_as(found))


@pytest.mark.parametrize("start", [0, 6])
def test_shaw_keys_make_the_score_of_the_paper(start):
    module = positions.ShawKeys(DIM, REACH).double()
    query, key = vectors(HEADS, QUERIES, DIM), vectors(HEADS, KEYS, DIM)
    found = (scores.ScaledDot() + module.term(start))(query, key)
    rows = module.table.tolist()

    def pair(q, i, k, j):
        return ref.shaw_score(q, k, rows[max(-REACH, min(REACH, j - start - i)) + REACH])

    expected = [
        [[pair(q, i, k, j) for j, k in enumerate(ks)] for i, q in enumerate(qs)]
        for qs, ks in zip(query.tolist(), key.tolist(), strict=True)
    ]
    assert_close(found, torch.tensor(expected, dtype=torch.float64))


def test_shaw_keys_take_the_scale_of_their_content_score():
    module = positions.ShawKeys(DIM, REACH, scale=0.3).double()
    plain = positions.ShawKeys(DIM, REACH, scale=1.0).double()
    plain.load_state_dict(module.state_dict())
    query, key = vectors(HEADS, QUERIES, DIM), vectors(HEADS, KEYS, DIM)
    assert_close(module.term()(query, key), 0.3 * plain.term()(query, key))
    assert_close(plain.term()(query, key)[:, 0, 0], query[:, 0] @ module.table[REACH])


@every_module
def test_queries_one_by_one_see_what_all_of_them_see(name):
    position = MODULES[name]().double()
    x = vectors(2, HEADS, KEYS, DIM)
    whole = attend(x, x, x, score=scores.ScaledDot() + position.term(), mask="causal")
    for i in range(KEYS):
        past = x[..., : i + 1, :]
        score = scores.ScaledDot() + position.term(i)
        step = attend(x[..., i : i + 1, :], past, past, score=score)
        assert_close(step, whole[..., i : i + 1, :])


@every_module
def test_moving_queries_and_keys_together_changes_nothing(name):
    position = MODULES[name]().double()
    x = vectors(HEADS, KEYS + 2, DIM)
    whole = position.term()(x, x)
    assert_close(position.term()(x[:, 2:], x[:, 2:]), position.term()(x, x)[:, 2:, 2:])
    assert_close(position.term(2)(x[:, 2:], x), whole[:, 2:])


@pytest.mark.parametrize("name", ["RelativeBias", "T5Bias", "ShawKeys"])
def test_the_gradient_of_a_table_is_that_of_finite_differences(name):
    position = MODULES[name]().double()
    x = vectors(HEADS, 3, DIM).requires_grad_()

    def call(x, table):
        assert table is position.table
        score = scores.ScaledDot() + position.term(1)
        return attend(x, x, x, score=score, mask=masks.causal(-1))

    assert gradcheck(call, (x, position.table))


@pytest.mark.parametrize("path", ["reference", "stream"])
def test_half_precision_tables_go_with_half_precision_vectors(path):
    position = positions.ShawKeys(DIM, REACH).bfloat16()
    x = torch.randn(HEADS, KEYS, DIM).bfloat16()
    score = scores.ScaledDot() + position.term()
    found = attend(x, x, x, score=score, path=path)
    wide = scores.ScaledDot() + scores.RelativeKeys(position.table.double())
    assert found.dtype == torch.bfloat16
    expected = attend(x.double(), x.double(), x.double(), score=wide)
    assert_close(found.double(), expected, rtol=0, atol=0.02)


def test_the_vectors_of_shaw_stay_linear_in_memory():
    """Nothing that grows with the number of pairs is kept for the backward pass."""
    position = positions.ShawKeys(DIM, REACH)
    query, key = torch.randn(4096, DIM, requires_grad=True), torch.randn(4096, DIM)
    largest = 0

    def note(tensor):
        nonlocal largest
        largest = max(largest, tensor.numel())
        return tensor

    score = scores.ScaledDot() + position.term()
    assert plan(query, key, key, score=score).path == "stream"
    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        context = attend(query, key, key, score=score)
    assert context.shape == (4096, DIM)
    assert 0 < largest <= 4096 * (2 * REACH + 1)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: positions.Alibi(0), "alibi needs num_heads of at least 1, got 0"),
        (lambda: positions.RelativeBias(0, 2), "RelativeBias needs num_heads of at least 1"),
        (lambda: positions.RelativeBias(2, 0), "RelativeBias needs reach of at least 1, got 0"),
        (lambda: positions.ShawKeys(0, 2), "ShawKeys needs dim of at least 1, got 0"),
        (lambda: positions.ShawKeys(4, 2, scale=-1.0), "ShawKeys needs a positive scale, got -1.0"),
    ],
)
def test_mistakes_are_answered_in_one_sentence(make, match):
    with pytest.raises(RangeError, match=match):
        make()
