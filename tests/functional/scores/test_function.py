"""Any function of queries and keys is a score, block by block, with all its gradients."""

import pytest
import torch
from torch.testing import assert_close

from regard import attend, masks, nn, plan, scores, weigh
from regard.errors import DtypeError, ShapeError
from regard.functional.forms import pieced as called
from regard.lens import capture

BATCH, HEADS, QUERIES, KEYS, WIDTH = 2, 3, 5, 7, 4


@pytest.fixture(autouse=True)
def _several_blocks(small_blocks, without_shape_checks):
    """Blocks of two rows."""


def vectors(dtype=torch.float64):
    torch.manual_seed(0)
    sizes = ((QUERIES, WIDTH), (KEYS, WIDTH), (KEYS, 6))
    return [torch.randn(BATCH, HEADS, *size, dtype=dtype, requires_grad=True) for size in sizes]


@pytest.mark.parametrize("path", ["reference", "stream", "auto"])
@pytest.mark.parametrize("held", [1, 2**22], ids=["row by row", "whole blocks"])
def test_gradients_reach_what_a_function_computed_before(path, held, monkeypatch):
    """A matrix for each head, made of a parameter outside: no argument, no leaf."""
    monkeypatch.setattr(called, "HELD", held)
    query, key, value = vectors()
    parameter = torch.randn(HEADS, WIDTH, WIDTH, dtype=torch.float64, requires_grad=True)
    matrix = parameter.tanh()
    leaves = [query, key, value, parameter]
    found = attend(
        query, key, value, score=lambda q, k: q @ matrix @ k.mT, mask="causal", path=path
    )
    table = query @ parameter.tanh() @ key.mT
    ahead = torch.ones(QUERIES, KEYS, dtype=torch.bool).triu(1)
    expected = torch.softmax(table.masked_fill(ahead, -torch.inf), dim=-1) @ value
    assert_close(found, expected)
    assert_close(*(torch.autograd.grad(x.square().sum(), leaves) for x in (found, expected)))


@pytest.mark.parametrize("path", ["reference", "stream"])
def test_a_module_is_a_score_and_learns(path):
    query, key, value = vectors()
    bilinear = Bilinear().double()
    found = attend(query, key, value, score=bilinear, path=path)
    expected = attend(query, key, value, score=scores.General(bilinear.weight))
    assert_close(found, expected)
    leaves = [query, bilinear.weight]
    assert_close(*(torch.autograd.grad(x.square().sum(), leaves) for x in (found, expected)))


class Bilinear(torch.nn.Module):
    """qᵀ W k."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(WIDTH, WIDTH))

    def forward(self, query, key):
        return query @ self.weight @ key.mT


def test_a_function_adds_up_with_other_scores():
    query, key, value = vectors()
    gaps = scores.Function(lambda q, k: -torch.cdist(q, k, p=1))
    score = 2 * gaps + scores.Alibi(HEADS)
    found = attend(query, key, value, score=score, path="stream")
    table = -2 * torch.cdist(query, key, p=1) + scores.Alibi(HEADS)(query, key)
    assert_close(found, torch.softmax(table, dim=-1) @ value)


def test_some_heads_of_a_function_are_those_of_the_whole():
    """A function may have parameters for each head, so it is always asked for all of them."""
    query, key, _ = vectors()
    scale = torch.rand(HEADS, 1, 1, dtype=torch.float64)
    choices = {"score": lambda q, k: scale * (q @ k.mT), "mask": masks.causal(offset=1)}
    whole = weigh(query, key, **choices)
    some = weigh(query, key, **choices, heads=[2, 0], rows=[4, 1])
    assert_close(some, whole[:, [2, 0]][:, :, [4, 1]])


def test_scores_may_lack_leading_axes():
    query, key, value = vectors()
    table = torch.randn(QUERIES, KEYS, dtype=torch.float64)
    found = attend(query, key, value, score=lambda q, k: table, path="reference")
    assert_close(found, torch.softmax(table, dim=-1) @ value)


def test_a_function_computes_in_float32_and_the_context_has_the_dtype_of_the_query():
    seen = []

    def dot(query, key):
        seen.append(query.dtype)
        return query @ key.mT

    context = attend(*vectors(torch.bfloat16), score=dot)
    assert context.dtype == torch.bfloat16
    assert set(seen) == {torch.float32}


def test_the_plan_names_the_function():
    def nearness(query, key):
        return -torch.cdist(query, key)

    assert "Function(nearness) is no inner product" in plan(*vectors(), score=nearness).why


def test_modules_take_functions_and_show_their_weights():
    torch.manual_seed(0)
    attention = nn.MultiHeadAttention(12, HEADS, score=lambda q, k: q @ k.mT / 2).double()
    equal = nn.MultiHeadAttention(12, HEADS, score=scores.ScaledDot(0.5)).double()
    equal.load_state_dict(attention.state_dict())
    x = torch.randn(BATCH, QUERIES, 12, dtype=torch.float64)
    assert_close(attention(x), equal(x))
    with capture(attention) as record:
        attention(x)
    assert_close(record[""].weights, equal.weights(x))


@pytest.mark.parametrize(
    ("score", "error", "match"),
    [
        (scores.Dot, DtypeError, r"got the class Dot; make one: Dot\(…\)"),
        (
            3,
            DtypeError,
            "a name, a value of regard.scores, or a function of query and key, got int",
        ),
        (lambda q: q, DtypeError, "a function of query and key, two tensors, got one with other"),
        (
            torch.nn.Linear(WIDTH, 2),
            DtypeError,
            "two tensors, got one with other arguments, Linear",
        ),
        (nn.scorer("general", query_dim=4, key_dim=4), DtypeError, "arguments, GeneralScorer"),
        (lambda q, k: 3, DtypeError, "returns scores as a tensor, got int"),
        (lambda q, k: (q @ k.mT).long(), DtypeError, "returns scores as a tensor, got torch.int64"),
        (
            lambda q, k: q,
            ShapeError,
            r"one number for each pair, \(2, 3, 5, 7\), of queries .* got",
        ),
        (lambda q, k: k @ q.mT, ShapeError, r"one number for each pair, .*, got \(2, 3, 7, 5\)"),
        (lambda q, k: (q @ k.mT)[None], ShapeError, r"got \(1, 2, 3, 5, 7\)"),
    ],
)
def test_what_is_no_score_is_refused_in_a_sentence(score, error, match):
    with pytest.raises(error, match=match):
        attend(*vectors(), score=score, path="reference")
