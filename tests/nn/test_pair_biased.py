"""Pair-biased attention against loops."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.autograd import gradcheck
from torch.testing import assert_close

from reference import special_attention as reference
from regard.errors import RangeError, ShapeError
from regard.lens import capture
from regard.nn import PairBiasedAttention

BATCH, ROWS, COLUMNS, WIDTH, PAIR_WIDTH, HEADS = 2, 3, 5, 4, 6, 2
ALLOWED = [
    [[True, False, True, True, True], [True] * 5, [False, False, True, False, True]],
    [[False] * 5, [True, True, False, False, False], [False, True, False, True, False]],
]


def made(**options):
    """A module whose norms are not those of a beginner."""
    torch.manual_seed(4)
    attention = PairBiasedAttention(WIDTH, HEADS, pair_dim=PAIR_WIDTH, **options).double()
    with torch.no_grad():
        for norm in (attention.norm, attention.pair_norm):
            norm.weight.uniform_(0.5, 2)
            norm.bias.uniform_(-1, 1)
    return attention


def arrays():
    x = torch.randn(BATCH, ROWS, COLUMNS, WIDTH, dtype=torch.float64)
    return x, torch.randn(BATCH, COLUMNS, COLUMNS, PAIR_WIDTH, dtype=torch.float64)


@pytest.mark.parametrize("head_dim", [None, 7])
def test_attention_along_rows_equals_loops(head_dim):
    attention, (x, pair) = made(head_dim=head_dim), arrays()
    found = attention(x, pair, torch.tensor(ALLOWED))
    parameters = {name: tensor.tolist() for name, tensor in attention.state_dict().items()}
    expected = [
        reference.pair_biased(*case, parameters, HEADS)
        for case in zip(x.tolist(), pair.tolist(), ALLOWED, strict=True)
    ]
    assert_close(found, torch.tensor(expected, dtype=torch.float64), rtol=1e-10, atol=1e-12)


def test_attention_has_the_gradient_of_finite_differences_also_through_the_bias():
    attention, (x, pair) = made(), arrays()
    names = [name for name, _ in attention.named_parameters()]

    def attended(x, pair, *parameters):
        named = dict(zip(names, parameters, strict=True))
        return torch.func.functional_call(attention, named, (x, pair, torch.tensor(ALLOWED)))

    leaves = [p.detach().clone().requires_grad_() for p in attention.parameters()]
    assert gradcheck(attended, (x.requires_grad_(), pair.requires_grad_(), *leaves), fast_mode=True)
    gradient = torch.autograd.grad(attended(x, pair, *leaves).square().sum(), pair)[0]
    assert gradient.abs().sum() > 0


def test_rows_do_not_see_each_other_and_come_in_any_order():
    attention, (x, pair) = made(), arrays()
    found = attention(x, pair)
    assert_close(attention(x[:, [2, 0, 1]], pair), found[:, [2, 0, 1]])
    assert_close(attention(x[:, 1:2], pair), found[:, 1:2])
    assert_close(attention(x[0], pair[0]), found[0])


@settings(max_examples=20)
@given(st.permutations(range(COLUMNS)))
def test_permuting_columns_of_rows_and_pairs_permutes_the_output(order):
    attention, (x, pair) = made(), arrays()
    moved = attention(x[:, :, order], pair[:, order][:, :, order])
    assert_close(moved, attention(x, pair)[:, :, order], rtol=1e-10, atol=1e-12)


def test_lengths_cut_columns_whatever_they_hold():
    attention, (x, pair) = made(), arrays()
    lengths = torch.tensor([3, 5])
    found = attention(x, pair, lengths)
    assert_close(found[0, :, :3], attention(x[0, :, :3], pair[0, :3, :3]))
    x[0, :, 3:] = 1e3
    assert_close(attention(x, pair, lengths)[0, :, :3], found[0, :, :3])
    by_row = attention(x, pair, torch.tensor([[1, 2, 3], [5, 4, 3]]))
    assert_close(by_row[0, 1], attention(x[0, 1:2], pair[0], torch.tensor([2]))[0])


def test_a_row_with_nothing_to_look_at_has_the_bias_of_the_output_and_no_gradient():
    attention, (x, pair) = made(), arrays()
    x.requires_grad_()
    found = attention(x, pair, torch.tensor(ALLOWED))
    assert_close(found[1, 0], attention.output_proj.bias.expand(COLUMNS, -1))
    found.square().sum().backward()
    assert not x.grad[1, 0].any()
    assert x.grad.isfinite().all()


def test_the_weights_have_one_map_for_each_row_and_head():
    attention, (x, pair) = made(), arrays()
    with capture(attention) as record:
        attention(x, pair)
    assert record[""].weights.shape == (BATCH, ROWS, HEADS, COLUMNS, COLUMNS)
    (look,) = record[""].looks
    assert_close(look.weigh(heads=[1]), record[""].weights[:, :, [1]])


def test_without_queries_and_with_equal_pairs_every_column_counts_alike():
    attention, (x, pair) = made(), arrays()
    torch.nn.init.zeros_(attention.query_proj.weight)
    torch.nn.init.constant_(attention.pair_norm.bias, 1.0)
    torch.nn.init.zeros_(attention.pair_norm.weight)
    with capture(attention) as record:
        attention(x, pair)
    assert_close(record[""].weights, torch.full_like(record[""].weights, 1 / COLUMNS))


@pytest.mark.usefixtures("without_shape_checks")
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: PairBiasedAttention(4, 3, pair_dim=6), ShapeError, "3 heads share equally"),
        (lambda: PairBiasedAttention(4, 2, pair_dim=0), RangeError, "pair_dim of at least 1"),
        (lambda: made()(torch.zeros(3, 5, 3), torch.zeros(5, 5, 6)), ShapeError, r"S, N, 4\)"),
        (
            lambda: made()(torch.zeros(3, 5, 4), torch.zeros(5, 4, 6)),
            ShapeError,
            r"needs pairs \(\*B, 5, 5, 6\) for rows of 5, got \(5, 4, 6\)",
        ),
    ],
)
def test_mistakes_are_answered_in_one_sentence(call, error, message):
    with pytest.raises(error, match=message):
        call()
