"""Layers: their order, residual connections, and both kinds of dropout."""

import pytest
import torch
from torch.testing import assert_close

from cells.every import leaves
from regard.cells import GRU, LSTM, LSTMN, MUT2, RNN, Hidden, Recurrent, Stack
from regard.errors import ChoiceError, RangeError, ShapeError


def layers():
    return [LSTM(3, 5), GRU(5, 5), LSTMN(5, 5), RNN(5, 5)]


@pytest.mark.parametrize("first", [None, 2, 3, 4])
def test_each_layer_reads_the_one_below_and_adds_its_input_from_there_on(first):
    cells = [cell.double() for cell in layers()]
    x = torch.randn(2, 4, 3, dtype=torch.double)
    lengths = torch.tensor([4, 2])
    outputs, state = Recurrent(Stack(cells, residual_from=first))(x, lengths=lengths)
    expected = x
    for number, cell in enumerate(cells, start=1):
        below = expected
        expected, after = Recurrent(cell)(below, lengths=lengths)
        for found, wanted in zip(leaves(state.layers[number - 1]), leaves(after), strict=True):
            assert_close(found, wanted)
        if first is not None and number >= first:
            expected = expected + below
    assert_close(outputs, expected)
    assert not outputs[1, 2:].any()


def test_a_stack_in_a_stack_is_one_stack():
    cells = [cell.double() for cell in layers()]
    x = torch.randn(2, 4, 3, dtype=torch.double)
    nested, _ = Recurrent(Stack([Stack(cells[:2]), Stack(cells[2:])]))(x)
    assert_close(nested, Recurrent(Stack(cells))(x)[0])


def test_dropout_is_off_where_nothing_is_trained():
    stack = Stack(layers(), dropout=0.5, variational=0.5)
    x = torch.randn(2, 4, 3)
    stack.eval()
    plain = Stack(list(stack.cells))
    outputs, state = Recurrent(stack)(x)
    assert state.masks is None
    assert_close(outputs, Recurrent(plain)(x)[0])
    stack.train()
    begun = stack.start(2)
    stack.eval()
    assert_close(Recurrent(stack)(x, begun)[0], outputs)


def test_dropout_falls_between_layers_anew_in_every_step_and_spares_residuals():
    class Through(RNN):
        """Gives its input as it is."""

        def forward(self, x, state, *, hidden_mask=None):
            return x, state

    x = torch.ones(7, 50, 5)
    outputs, _ = Recurrent(Stack([Through(5, 5), Through(5, 5)], dropout=0.25))(x)
    assert outputs.unique().tolist() == pytest.approx([0.0, 1 / 0.75])
    assert 0.7 < (outputs > 0).float().mean() < 0.8
    assert (outputs[:, 0] != outputs[:, 1]).any()
    outputs, _ = Recurrent(Stack([Through(5, 5)], dropout=0.25))(x)
    assert_close(outputs, x)
    stack = Stack([Through(5, 5), Through(5, 5)], dropout=0.25, residual_from=2)
    assert Recurrent(stack)(x)[0].min() == 1.0


def test_variational_masks_are_zeros_and_scaled_ones_drawn_for_each_sequence():
    state = Stack([LSTM(30, 50), GRU(50, 70)], variational=0.2).start(11)
    shapes = [(11, 30), (11, 50), (11, 50), (11, 70)]
    assert [tuple(mask.shape) for masks in state.masks for mask in masks] == shapes
    for masks in state.masks:
        for mask in masks:
            assert mask.unique().tolist() == pytest.approx([0.0, 1.25])
            assert 0.7 < (mask > 0).float().mean() < 0.9
            assert (mask[0] != mask[1]).any()


def masked_rnn(cell, x, masks):
    """An RNN written out, with one mask on its input and one on its state."""
    hidden, outputs = torch.zeros(len(x), 5, dtype=torch.double), []
    for x_t in x.unbind(1):
        of_x = (x_t * masks.input) @ cell.input_proj.weight.T + cell.input_proj.bias
        hidden = torch.tanh(of_x + (hidden * masks.hidden) @ cell.hidden_proj.weight.T)
        outputs.append(hidden)
    return torch.stack(outputs, dim=1)


def test_one_mask_lasts_for_a_whole_sequence_even_in_pieces():
    stack = Stack([RNN(3, 5)], variational=0.5).double()
    x, state = torch.randn(7, 4, 3, dtype=torch.double), stack.start(7)
    outputs, _ = Recurrent(stack)(x, state)
    assert_close(outputs, masked_rnn(stack.cells[0], x, state.masks[0]))
    first, between = Recurrent(stack)(x[:, :3], state)
    second, _ = stack(x[:, 3], between.detach())
    assert_close(torch.cat([first, second.unsqueeze(1)], dim=1), outputs)


def test_masks_follow_their_sequences():
    stack = Stack([RNN(3, 5)], variational=0.5)
    state = stack.start(3)
    rows = torch.tensor([2, 2, 0])
    for found, drawn in zip(state.reorder(rows).masks[0], state.masks[0], strict=True):
        assert_close(found, drawn[rows])


@pytest.mark.parametrize("kind", [GRU, MUT2])
def test_what_a_gate_carries_over_is_not_dropped(kind):
    cell = kind(5, 5).double()
    hidden = torch.randn(2, 5, dtype=torch.double)
    x, nothing = torch.randn(2, 5, dtype=torch.double), torch.zeros(2, 5, dtype=torch.double)
    with torch.no_grad():
        for parameter in cell.parameters():
            parameter.zero_()
    output, _ = cell(x, Hidden(hidden), hidden_mask=nothing)
    assert_close(output, hidden / 2)


def test_weights_have_the_same_names_whatever_is_dropped():
    plain, dropped = Stack([LSTM(3, 5)]), Stack([LSTM(3, 5)], dropout=0.1, variational=0.3)
    assert plain.state_dict().keys() == dropped.state_dict().keys()
    assert "cells.0.input_proj.weight" in plain.state_dict()


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Stack([]), RangeError, "Stack needs at least one cell, got none"),
        (
            lambda: Stack([RNN(3, 5), RNN(7, 2)]),
            ShapeError,
            "got hidden_dim 5 in layer 1 and input_dim 7 in layer 2",
        ),
        (
            lambda: Stack([RNN(3, 5)], residual_from=1),
            ShapeError,
            "input and output of one width, got 3 and 5 in layer 1; begin it higher",
        ),
        (
            lambda: Stack([RNN(5, 5)], residual_from=2),
            RangeError,
            "residual_from from 1 to 1, got 2",
        ),
        (lambda: Stack([RNN(3, 5)], dropout=1.0), RangeError, "dropout from 0 to below 1, got 1.0"),
        (
            lambda: Stack([RNN(3, 5)], variational=-0.1),
            RangeError,
            "variational from 0 to below 1, got -0.1",
        ),
        (
            lambda: Stack([Stack([RNN(3, 5)])], variational=0.1),
            ChoiceError,
            "give it to the inner one",
        ),
    ],
)
def test_what_does_not_fit_is_told(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_a_state_of_another_depth_is_told():
    state = Stack([RNN(5, 5)]).start(2)
    stack = Stack([RNN(5, 5), RNN(5, 5)])
    for call in (
        lambda: stack(torch.ones(2, 5), state),
        lambda: Recurrent(stack)(torch.ones(2, 3, 5), state),
    ):
        with pytest.raises(ShapeError, match="needs a state of 2 layers, got 1"):
            call()


def test_a_stack_shows_what_was_set():
    shown = repr(Stack([RNN(5, 5)] * 2, residual_from=2, dropout=0.1))
    assert "residual_from=2, dropout=0.1" in shown
