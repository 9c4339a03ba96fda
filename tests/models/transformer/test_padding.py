import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from regard.models.transformer.padding import Everything, Tokens, lengths_of, rows, trimmed

lengths = st.lists(st.integers(0, 5), min_size=1, max_size=4)


@given(lengths)
def test_packed_rows_are_the_tokens_in_order(sizes):
    x = torch.arange(len(sizes) * 7 * 2.0).reshape(len(sizes), 7, 2)
    expected = [x[row, place] for row, size in enumerate(sizes) for place in range(size)]
    packed = rows(torch.tensor(sizes), 7).packed(x)
    assert packed.tolist() == [vector.tolist() for vector in expected]


@given(lengths)
def test_padding_gives_every_token_its_place_back_among_zeros(sizes):
    x = torch.randn(len(sizes), 7, 2)
    layout = rows(torch.tensor(sizes), 7)
    inside = torch.arange(7) < torch.tensor(sizes).unsqueeze(-1)
    assert_close(layout.padded(layout.packed(x)), x * inside.unsqueeze(-1))


def test_gradients_of_both_layouts_are_right_twice():
    layout = rows(torch.tensor([3, 1, 4]), 5)
    padded = torch.randn(3, 5, 2, dtype=torch.float64, requires_grad=True)
    packed = torch.randn(8, 2, dtype=torch.float64, requires_grad=True)
    for function, x in ((layout.packed, padded), (layout.padded, packed)):
        assert torch.autograd.gradcheck(lambda x, f=function: f(x).sin(), x)
        assert torch.autograd.gradgradcheck(lambda x, f=function: f(x).sin(), x)


def test_a_batch_with_hardly_any_padding_is_left_as_it_is():
    assert isinstance(rows(torch.tensor([40, 39]), 40), Everything)
    assert isinstance(rows(torch.tensor([40, 30]), 40), Tokens)


def test_columns_that_no_sequence_reaches_are_cut_and_filled_again():
    tokens = torch.tensor([[3, 4, 0, 0, 0], [5, 0, 0, 0, 0]])
    cut = trimmed(tokens, torch.tensor([2, 1]))
    assert cut.tokens.tolist() == [[3, 4], [5, 0]]
    filled = cut.filled(torch.ones(2, 2, 3))
    assert filled.sum(-1).tolist() == [[3, 3, 0, 0, 0]] * 2


def test_only_padding_behind_a_sequence_is_padding():
    tokens = torch.tensor([[0, 4, 0, 2, 0], [0, 0, 0, 0, 0], [1, 2, 3, 4, 5]])
    assert lengths_of(tokens, pad=0).tolist() == [4, 1, 5]
