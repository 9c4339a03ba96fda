"""Parity with torch, by copying weights both ways."""

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from torch.testing import assert_close

from regard.cells import (
    GRU,
    LSTM,
    LSTMN,
    RNN,
    Bidirectional,
    Recurrent,
    Stack,
    from_torch,
    to_torch,
)
from regard.errors import ChoiceError

KINDS = {nn.RNN: RNN, nn.LSTM: LSTM, nn.GRU: GRU}
SHAPES = {
    "one layer": {},
    "three layers": {"num_layers": 3},
    "both directions": {"bidirectional": True},
    "without bias": {"bias": False},
}


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def kind(request):
    return request.param


@pytest.mark.parametrize("shape", SHAPES)
def test_a_copy_gives_the_outputs_states_and_gradients_of_torch(kind, shape):
    peer = kind(3, 5, batch_first=True, dtype=torch.double, **SHAPES[shape])
    ours = from_torch(peer)
    x = torch.randn(2, 4, 3, dtype=torch.double, requires_grad=True)
    expected, states = peer(x)
    outputs, state = ours(x)
    assert_close(outputs, expected)
    last = states[1] if kind is nn.LSTM else states
    top = state.leftward if shape == "both directions" else state
    top = top.layers[-1] if shape == "three layers" else top
    assert_close(top.memory if kind is nn.LSTM else top.hidden, last[-1])
    (wanted,) = torch.autograd.grad(expected.square().sum(), x)
    assert_close(torch.autograd.grad(outputs.square().sum(), x)[0], wanted)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_copy_of_a_copy_is_the_same(kind, shape):
    peer = kind(3, 5, batch_first=True, dtype=torch.double, **SHAPES[shape])
    again = to_torch(from_torch(peer).eval())
    assert type(again) is kind
    assert again.batch_first and not again.training
    x = torch.randn(2, 4, 3, dtype=torch.double)
    assert_close(again(x)[0], peer(x)[0])


def test_gradients_of_weights_are_those_of_torch(kind):
    peer = kind(3, 5, batch_first=True, dtype=torch.double)
    ours = from_torch(peer)
    x = torch.randn(2, 4, 3, dtype=torch.double)
    for module in (peer, ours):
        module(x)[0].square().sum().backward()
    assert_close(ours.cell.input_proj.weight.grad, peer.weight_ih_l0.grad)
    assert_close(ours.cell.hidden_proj.weight.grad, peer.weight_hh_l0.grad)
    assert_close(ours.cell.input_proj.bias.grad, peer.bias_ih_l0.grad)


def test_single_steps_are_those_of_torchs_cells(kind):
    one = {nn.RNN: nn.RNNCell, nn.LSTM: nn.LSTMCell, nn.GRU: nn.GRUCell}[kind](3, 5).double()
    peer = kind(3, 5, dtype=torch.double)
    with torch.no_grad():
        for name, weight in one.named_parameters():
            getattr(peer, name + "_l0").copy_(weight)
    cell = from_torch(peer).cell
    x, parts = torch.randn(2, 3, dtype=torch.double), torch.randn(2, 2, 5, dtype=torch.double)
    if kind is nn.LSTM:
        expected, memory = one(x, tuple(parts))
        output, state = cell(x, type(cell.start(2))(*parts))
        assert_close(state.memory, memory)
    else:
        expected, (output, _) = one(x, parts[0]), cell(x, type(cell.start(2))(parts[0]))
    assert_close(output, expected)


@pytest.mark.parametrize("shape", ["one layer", "three layers", "both directions"])
def test_lengths_do_what_packing_does_in_torch(kind, shape):
    peer = kind(3, 5, batch_first=True, dtype=torch.double, **SHAPES[shape])
    x, lengths = torch.randn(3, 4, 3, dtype=torch.double), torch.tensor([2, 4, 1])
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    expected, _ = pad_packed_sequence(peer(packed)[0], batch_first=True)
    ours = from_torch(peer)
    assert_close(ours(x, lengths=lengths)[0], expected)
    assert_close(ours(packed)[0].data, peer(packed)[0].data)


def test_kind_dropout_mode_and_precision_are_copied():
    peer = nn.LSTM(3, 5, num_layers=2, dropout=0.25).bfloat16().eval()
    ours = from_torch(peer)
    assert ours.cell.dropout == 0.25
    assert not ours.cell.cells[0].training
    assert ours.cell.cells[1].input_proj.weight.dtype == torch.bfloat16
    assert to_torch(ours).dropout == 0.25


def test_a_new_cell_goes_to_torch(kind):
    ours = {nn.RNN: RNN, nn.LSTM: LSTM}.get(kind, lambda *sizes: GRU(*sizes, reset="after"))(3, 5)
    x = torch.randn(2, 4, 3)
    assert_close(to_torch(ours)(x)[0], Recurrent(ours)(x)[0])


def test_both_cells_of_a_pair_go_to_torch():
    both = Bidirectional(LSTM(3, 5), LSTM(3, 5))
    x = torch.randn(2, 4, 3)
    assert_close(to_torch(both)(x)[0], both(x)[0])


@pytest.mark.parametrize(
    "peer",
    [
        nn.RNN(3, 5, nonlinearity="relu"),
        nn.LSTM(3, 5, proj_size=2),
        nn.GRU(3, 5, num_layers=2, bidirectional=True),
    ],
    ids=["relu", "projection", "deep"],
)
def test_what_has_no_counterpart_here_is_told(peer):
    with pytest.raises(ChoiceError, match=r"tanh|with a projection|one bidirectional layer"):
        from_torch(peer)


@pytest.mark.parametrize(
    "module",
    [
        Recurrent(LSTMN(3, 5)),
        Recurrent(GRU(3, 5)),
        Recurrent(Stack([RNN(3, 5), LSTM(5, 5)])),
        Recurrent(Stack([RNN(3, 5), RNN(5, 7)])),
        Recurrent(Stack([RNN(5, 5), RNN(5, 5)], residual_from=2)),
        Recurrent(Stack([RNN(5, 5)], variational=0.1)),
        Bidirectional(RNN(3, 5), RNN(3, 2)),
    ],
    ids=["lstmn", "before", "mixed", "widths", "residual", "variational", "unequal"],
)
def test_what_has_no_counterpart_in_torch_is_told(module):
    with pytest.raises(ChoiceError, match=r"torch has modules for RNN, LSTM and GRU"):
        to_torch(module)
