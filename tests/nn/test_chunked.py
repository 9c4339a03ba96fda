"""Long sequences in chunks, with and without a memory."""

import copy

import pytest
import torch
from torch.testing import assert_close

from reference import multihead as reference
from regard import masks
from regard.errors import ChoiceError, RangeError
from regard.nn import ChunkedAttention, MultiHeadAttention
from regard.positions import Alibi, Rotary

BATCH, LENGTH, MODEL, HEADS, HEAD = 2, 11, 12, 6, 2


def build(chunk, memory, **choices):
    attention = MultiHeadAttention(MODEL, HEADS, mask="causal", **choices).double()
    return ChunkedAttention(attention, chunk_length=chunk, memory_length=memory)


def inputs():
    return torch.randn(BATCH, LENGTH, MODEL, dtype=torch.float64)


def table(chunk, memory):
    may = reference.chunked(chunk, memory)
    return torch.tensor([[may(i, j) for j in range(LENGTH)] for i in range(LENGTH)]).expand(
        BATCH, -1, -1
    )


POSITIONS = {"none": {}, "rotary": {"position": Rotary(HEAD)}, "alibi": {"position": Alibi(HEADS)}}


@pytest.mark.parametrize("name", POSITIONS)
@pytest.mark.parametrize(("chunk", "memory"), [(3, 0), (3, 3), (3, 2), (3, 7), (4, 1), (20, 5)])
def test_a_chunk_sees_itself_and_the_memory_before_it(chunk, memory, name):
    chunked, x = build(chunk, memory, **POSITIONS[name]), inputs()
    output, last = chunked(x)
    assert_close(output, chunked.attention(x, mask=table(chunk, memory)))
    assert last.position == LENGTH
    assert last.states.shape == (BATCH, min(memory, LENGTH), MODEL)


@pytest.mark.parametrize("memory", [0, 3, 5])
def test_feeding_chunk_by_chunk_changes_nothing(memory):
    chunked, x = build(3, memory, num_key_heads=2), inputs()
    first, carried = chunked(x[:, :3])
    second, carried = chunked(x[:, 3:9], carried)
    third, _ = chunked(x[:, 9:], carried)
    assert_close(torch.cat([first, second, third], dim=1), chunked(x)[0])


def test_without_memory_it_is_the_mask_of_blocks():
    chunked, x = build(3, 0), inputs()
    assert_close(chunked(x)[0], chunked.attention(x, mask=masks.blocks(3)))


def test_with_one_chunk_of_memory_it_is_a_layout_of_blocks():
    chunked, x = build(3, 3), inputs()
    layout = torch.eye(4).bool() | torch.eye(4).roll(-1, dims=1).bool().tril(-1)
    assert_close(chunked(x)[0], chunked.attention(x, mask=masks.blocks(3, layout)))


def test_the_memory_carries_no_gradient_but_its_keys_train():
    chunked, x = build(3, 3), inputs().requires_grad_()
    output, memory = chunked(x)
    assert not memory.states.requires_grad
    (gradient,) = torch.autograd.grad(output[:, 3:6].sum(), x, retain_graph=True)
    assert gradient[:, :3].eq(0).all()
    assert gradient[:, 3:6].abs().sum() > 0
    weight = chunked.attention.in_proj.weight
    (by_memory,) = torch.autograd.grad(output[:, 3:6].sum(), weight)
    alone = chunked.attention(x[:, 3:6])
    (by_itself,) = torch.autograd.grad(alone.sum(), weight)
    assert not torch.allclose(by_memory, by_itself)


def test_without_a_mask_a_chunk_sees_all_of_itself_and_its_memory():
    attention = MultiHeadAttention(MODEL, HEADS).double()
    chunked, x = ChunkedAttention(attention, chunk_length=3, memory_length=3), inputs()
    _, carried = chunked(x[:, :3])
    assert_close(chunked(x[:, 3:6], carried)[0], attention(x[:, 3:6], x[:, :6]))


def test_a_memory_is_reordered_by_rows():
    chunked, x, rows = build(3, 3), inputs(), torch.tensor([1, 1, 0])
    _, carried = chunked(x[:, :3])
    found, _ = chunked(x[rows, 3:6], carried.reorder(rows))
    assert_close(found, chunked(x[:, 3:6], carried)[0][rows])


def test_it_is_copied_and_lowered():
    chunked, x = build(3, 3), inputs()
    assert_close(copy.deepcopy(chunked)(x)[0], chunked(x)[0])
    low, memory = chunked.bfloat16()(x.bfloat16())
    assert low.dtype == memory.states.dtype == torch.bfloat16


def test_sizes_that_do_not_fit_are_refused():
    with pytest.raises(RangeError, match="memory_length of at least 0, got -1"):
        build(3, -1)
    with pytest.raises(RangeError, match="chunk_length of at least 1, got 0"):
        build(0, 2)
    with pytest.raises(ChoiceError, match="needs self attention"):
        ChunkedAttention(MultiHeadAttention(4, 2, key_dim=3), chunk_length=2)
