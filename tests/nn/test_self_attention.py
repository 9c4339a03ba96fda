"""One head of self attention, from scalars up, with an output of any length."""

import copy

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.autograd import gradcheck
from torch.testing import assert_close

from reference import multihead as reference
from reference import normalisers
from regard.errors import ChoiceError, ShapeError
from regard.lens import capture
from regard.nn import SelfAttention
from regard.positions import Rotary

BATCH, LENGTH, INPUT = 2, 5, 3


def inputs(*sizes):
    return torch.randn(*(sizes or (BATCH, LENGTH, INPUT)), dtype=torch.float64)


def by_hand(attention, x, lengths=None):
    """b, or b′, for every sequence."""
    width, outputs = attention.head_dim, []
    weights = attention.in_proj.weight.split(width)
    for n, sequence in enumerate(x.tolist()):
        length = len(sequence) if lengths is None else lengths[n]
        query, key, value = (reference.linear(w.tolist(), None, sequence) for w in weights)
        found = reference.multi_head(
            query,
            key,
            value,
            num_heads=1,
            num_key_heads=1,
            allowed=lambda h, i, j, length=length: j < length,
            score=reference.scaled_dot,
            normalise=normalisers.softmax,
        )
        if attention.length_map is not None:
            map_ = [row[:length] for row in attention.length_map.tolist()]
            columns = list(zip(*found[:length], strict=True))
            found = [
                list(row)
                for row in zip(
                    *(reference.linear(map_, None, [c])[0] for c in columns), strict=True
                )
            ]
        outputs.append(found)
    return torch.tensor(outputs, dtype=torch.float64)


@pytest.mark.parametrize("head_dim", [1, 4])
def test_scalar_and_wide_heads_equal_loops(head_dim):
    attention, x = SelfAttention(INPUT, head_dim).double(), inputs()
    assert attention(x).shape == (BATCH, LENGTH, head_dim)
    assert_close(attention(x), by_hand(attention, x))


@pytest.mark.parametrize("head_dim", [1, 4])
def test_an_output_of_another_length_mixes_positions(head_dim):
    attention = SelfAttention(INPUT, head_dim, input_length=7, output_length=2).double()
    for length in (7, 5):
        x = inputs(BATCH, length, INPUT)
        assert attention(x).shape == (BATCH, 2, head_dim)
        assert_close(attention(x), by_hand(attention, x))


def test_padding_enters_no_output():
    attention = SelfAttention(INPUT, 4, input_length=7, output_length=2).double()
    x, lengths = inputs(BATCH, 7, INPUT), torch.tensor([3, 6])
    expected = by_hand(attention, x, lengths.tolist())
    x[0, 3:] = 100.0
    assert_close(attention(x, mask=lengths), expected)
    assert_close(attention(x, mask=torch.arange(7) < lengths.unsqueeze(-1)), expected)


@settings(max_examples=20)
@given(order=st.permutations(range(LENGTH)), head_dim=st.sampled_from([1, 4]))
def test_without_positions_it_is_permutation_equivariant(order, head_dim):
    attention, x = SelfAttention(INPUT, head_dim).double(), inputs()
    assert_close(attention(x[:, list(order)]), attention(x)[:, list(order)])


def test_with_positions_it_is_not():
    attention, x = SelfAttention(INPUT, 4, position=Rotary(4)).double(), inputs()
    order = [4, 2, 0, 1, 3]
    assert (attention(x[:, order]) - attention(x)[:, order]).abs().max() > 1e-3


def test_gradients_are_right():
    attention = SelfAttention(INPUT, 4, input_length=5, output_length=2, mask="causal").double()
    names = [name for name, _ in attention.named_parameters()]

    def run(x, *tensors):
        state = dict(zip(names, tensors, strict=True))
        lengths = torch.tensor([0, 3])
        return torch.func.functional_call(attention, state, (x,), {"mask": lengths})

    assert gradcheck(run, (inputs().requires_grad_(), *attention.parameters()), fast_mode=True)


def test_it_steps_as_it_runs():
    attention, x = SelfAttention(INPUT, 4, mask="causal").double(), inputs()
    first, cache = attention.step(x[:, :3])
    second, _ = attention.step(x[:, 3:], cache)
    assert_close(torch.cat([first, second], dim=1), attention(x))


def test_it_is_captured_copied_and_loaded_like_any_other():
    attention, x = SelfAttention(INPUT, 4, input_length=5, output_length=2).double(), inputs()
    with capture(attention) as record:
        attention(x)
    assert record[""].weights.shape == (BATCH, 1, LENGTH, LENGTH)
    other = SelfAttention(INPUT, 4, input_length=5, output_length=2).double()
    other.load_state_dict(attention.state_dict())
    assert_close(other(x), attention(x))
    assert_close(copy.deepcopy(attention)(x), attention(x))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert attention.float()(x.float()).dtype == torch.bfloat16
    assert attention.half()(x.half()).dtype == torch.float16


def test_lengths_that_do_not_fit_are_refused():
    with pytest.raises(ChoiceError, match="both input_length and output_length"):
        SelfAttention(INPUT, output_length=3)
    attention = SelfAttention(INPUT, input_length=4, output_length=2).double()
    with pytest.raises(
        ShapeError, match="at most input_length 4 positions to map them to 2, got 5"
    ):
        attention(inputs())
    with pytest.raises(ChoiceError, match="cannot step"):
        attention.step(inputs())
