"""What is true of every cell: one step, its state, and the ways a module is used."""

import copy

import pytest
import torch
from torch.autograd import gradcheck
from torch.testing import assert_close

from cells.every import CELLS, begun, leaves
from regard.cells import LSTM, RNN, Recurrent
from regard.errors import DtypeError, RangeError, ShapeError


def numbers(*sizes, dtype=torch.double):
    return torch.randn(*sizes, dtype=dtype)


def stepped(cell, x, state):
    outputs = []
    for x_t in x.unbind(-2):
        output, state = cell(x_t, state)
        outputs.append(output)
    return torch.stack(outputs, dim=-2), state


def test_a_run_is_one_step_after_the_other(cell):
    x, state = numbers(2, 4, 5), begun(cell, 2)
    outputs, after = Recurrent(cell)(x, state)
    expected, expected_after = stepped(cell, x, state)
    assert outputs.shape == (2, 4, cell.hidden_dim)
    assert_close(outputs, expected)
    for found, wanted in zip(leaves(after), leaves(expected_after), strict=True):
        assert_close(found, wanted)


def test_a_run_in_two_halves_is_a_run(cell):
    x, state = numbers(2, 5, 5), begun(cell, 2)
    outputs, after = Recurrent(cell)(x, state)
    first, between = Recurrent(cell)(x[:, :2], state)
    second, end = Recurrent(cell)(x[:, 2:], between)
    assert_close(torch.cat([first, second], dim=1), outputs)
    for found, wanted in zip(leaves(end), leaves(after), strict=True):
        assert_close(found, wanted)


def test_gradients_are_those_of_finite_differences(cell):
    state, lengths = begun(cell, 2), torch.tensor([3, 1])

    def run(x):
        return Recurrent(cell)(x, state, lengths=lengths)[0]

    assert gradcheck(run, (numbers(2, 3, 5).requires_grad_(),), fast_mode=True)


def test_gradients_by_parameters_are_those_of_finite_differences(cell):
    state, x = begun(cell, 1), numbers(1, 2, 5)
    names = [name for name, _ in cell.named_parameters()]

    def run(*parameters):
        named = dict(zip(names, parameters, strict=True))
        after = state
        for x_t in x.unbind(1):
            output, after = torch.func.functional_call(cell, named, (x_t, after))
        return output

    parameters = tuple(p.detach().clone().requires_grad_() for p in cell.parameters())
    assert gradcheck(run, parameters, fast_mode=True)


def test_leading_axes_are_batches_of_any_shape(cell):
    x, state = numbers(2, 3, 4, 5), cell.start(2, 3)
    outputs, after = Recurrent(cell)(x, state)
    flat, flat_after = Recurrent(cell)(x.reshape(6, 4, 5), cell.start(6))
    assert_close(outputs.reshape(6, 4, -1), flat)
    for found, wanted in zip(leaves(after), leaves(flat_after), strict=True):
        assert_close(found.reshape(wanted.shape), wanted)
    single, _ = Recurrent(cell)(x[0, 0], cell.start())
    assert_close(single, outputs[0, 0])


def test_rows_of_a_state_can_be_picked(cell):
    x = numbers(3, 4, 5)
    _, state = Recurrent(cell)(x[:, :3], begun(cell, 3), lengths=torch.tensor([3, 2, 1]))
    rows = torch.tensor([2, 0, 0, 1])
    output, after = cell(x[rows, 3], state.reorder(rows))
    expected, expected_after = cell(x[:, 3], state)
    assert_close(output, expected[rows])
    for found, wanted in zip(leaves(after), leaves(expected_after), strict=True):
        assert_close(found, wanted[rows])


def test_a_detached_state_has_the_same_numbers_and_no_history(cell):
    x = numbers(2, 3, 5)
    _, state = Recurrent(cell)(x, begun(cell, 2))
    assert any(leaf.requires_grad for leaf in leaves(state))
    for found, wanted in zip(leaves(state.detach()), leaves(state), strict=True):
        assert not found.requires_grad
        assert_close(found, wanted, atol=0, rtol=0)


def test_beyond_its_length_a_sequence_stands_still(cell):
    x, state = numbers(3, 4, 5), begun(cell, 3)
    lengths = torch.tensor([4, 2, 0])
    outputs, after = Recurrent(cell)(x, state, lengths=lengths)
    ahead = torch.randn(3, 5, dtype=torch.double)
    next_output, _ = cell(ahead, after)
    for row, length in enumerate(lengths.tolist()):
        own = state.reorder(torch.tensor([row]))
        alone, own_after = Recurrent(cell)(x[row : row + 1, :length], own)
        assert_close(outputs[row : row + 1, :length], alone)
        assert not outputs[row, length:].any()
        expected, _ = cell(ahead[row : row + 1], own_after)
        assert_close(next_output[row : row + 1], expected)


def test_what_stands_beyond_a_length_reaches_neither_value_nor_gradient(cell):
    lengths, state = torch.tensor([3, 1, 0]), begun(cell, 3).detach()
    x = numbers(3, 3, 5)
    spoiled = x.clone()
    spoiled[1, 1:], spoiled[2] = torch.nan, torch.inf
    grads = []
    for given in (x, spoiled):
        given.requires_grad_()
        outputs, after = Recurrent(cell)(given, state, lengths=lengths)
        (outputs.sum() + leaves(after)[0].sum()).backward()
        grads.append(
            [given.grad, *(p.grad.clone() for p in cell.parameters() if p.grad is not None)]
        )
        cell.zero_grad()
    assert not grads[1][0][1, 1:].any()
    assert not grads[1][0][2].any()
    for clean, dirty in zip(*grads, strict=True):
        assert_close(dirty, clean)


def test_a_sequence_of_no_steps_keeps_its_state(cell):
    state = begun(cell, 2)
    outputs, after = Recurrent(cell)(numbers(2, 0, 5), state)
    assert outputs.shape == (2, 0, cell.hidden_dim)
    assert all(a is b for a, b in zip(leaves(after), leaves(state), strict=True))


def test_weights_survive_a_round_trip_and_copies_are_independent(cell):
    x, state = numbers(2, 3, 5), begun(cell, 2)
    expected, _ = Recurrent(cell)(x, state)
    copied = copy.deepcopy(cell)
    other = copy.deepcopy(cell)
    with torch.no_grad():
        for parameter in other.parameters():
            parameter.fill_(0.5)
    other.load_state_dict(cell.state_dict())
    with torch.no_grad():
        for parameter in cell.parameters():
            parameter.zero_()
    for again in (copied, other):
        assert_close(Recurrent(again)(x, state)[0], expected, atol=0, rtol=0)


@pytest.mark.parametrize("dtype", [torch.half, torch.bfloat16, torch.float], ids=str)
def test_every_precision_stays_what_it_is(cell, dtype):
    x, state = numbers(2, 3, 5), cell.start(2)
    expected, _ = Recurrent(cell)(x, state)
    cell.to(dtype)
    outputs, after = Recurrent(cell)(x.to(dtype), lengths=torch.tensor([3, 3]))
    assert {leaf.dtype for leaf in leaves(after)} <= {dtype, torch.bool}
    assert outputs.dtype == dtype
    assert_close(outputs.double(), expected, atol=0.05, rtol=0.05)


@pytest.mark.parametrize("dtype", [torch.half, torch.bfloat16], ids=str)
def test_under_autocast_the_state_keeps_its_precision(cell, dtype):
    cell.float()
    x = numbers(2, 3, 5, dtype=torch.float).requires_grad_()
    expected, _ = Recurrent(cell)(x)
    with torch.autocast("cpu", dtype):
        for lengths in (None, torch.tensor([3, 3])):
            outputs, after = Recurrent(cell)(x, lengths=lengths)
            assert {leaf.dtype for leaf in leaves(after)} <= {torch.float, torch.bool}
            assert outputs.dtype == torch.float
            assert_close(outputs, expected, atol=0.05, rtol=0.05)
    outputs.sum().backward()
    assert x.grad.isfinite().all()


def test_an_input_of_the_wrong_width_is_told(cell, without_shape_checks):
    name = type(cell).__name__
    with pytest.raises(ShapeError, match=rf"{name} needs an input \(\*B, D\) of width 5, got"):
        cell(numbers(2, 4), cell.start(2))
    with pytest.raises(ShapeError, match=rf"{name} needs an input \(\*B, N, D\) of width 5, got"):
        Recurrent(cell)(numbers(2, 3, 4))
    with pytest.raises(DtypeError, match=r"needs a floating-point input, got torch\.int64; embed"):
        Recurrent(cell)(torch.zeros(2, 3, 5, dtype=torch.long))


def test_a_state_of_another_batch_is_told(cell, without_shape_checks):
    with pytest.raises(ShapeError, match=r"needs a state of shape \(2, \d\) .* got \(3, \d\)"):
        cell(numbers(2, 5), cell.start(3))


@pytest.mark.parametrize("kind", [RNN, LSTM])
def test_sizes_are_whole_and_positive(kind, without_shape_checks):
    with pytest.raises(RangeError, match=f"{kind.__name__} needs hidden_dim of at least 1, got 0"):
        kind(3, 0)
    with pytest.raises(DtypeError, match="needs a whole number as input_dim, got float"):
        kind(3.0, 5)


def test_every_cell_of_the_package_is_among_these():
    kinds = {type(make()).__name__ for make in CELLS.values()}
    assert kinds == {
        *("RNN", "LSTM", "GRU", "MUT1", "MUT2", "MUT3"),
        *("LSTMN", "ShallowFusion", "DeepFusion", "Stack"),
    }
