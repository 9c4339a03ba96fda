"""Compiled GRUs against torch's own, in double precision."""

from contextlib import nullcontext

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from torch.testing import assert_close

from regard.cells import GRU, Bidirectional
from regard.kernels.available import without_numba
from regard.models.rnn.encoder import both_ways
from regard.models.rnn.fast.gru_layer import compiled_for, gru_outputs, gru_step, runs_compiled

pytest.importorskip("numba")

NAMES = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
LENGTHS = torch.tensor([2, 7, 1, 5, 4])


def single(x):
    """The number in float32, a leaf of its own."""
    return x.detach().float().requires_grad_()


def cell_of(peer):
    """Our cell in single precision, with the weights of torch's."""
    cell = GRU(peer.input_size, peer.hidden_size, reset="after")
    cell.load_kernel_weights(*(getattr(peer, name) for name in NAMES))
    return cell


def close(ours, expected):
    assert_close(ours.double(), expected, rtol=2e-5, atol=2e-6)


def torchs_outputs(peer, x, lengths, leftward):
    """All outputs, zeros beyond the lengths; from the right if ``leftward``."""
    if not leftward:
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        return pad_packed_sequence(peer(packed)[0], batch_first=True)[0]
    rows = []
    for row, length in zip(x, lengths, strict=True):
        outputs = peer(row[:length].flip(0).unsqueeze(0))[0][0].flip(0)
        rows.append(nn.functional.pad(outputs, (0, 0, 0, len(row) - int(length))))
    return torch.stack(rows)


@pytest.mark.parametrize("leftward", [False, True])
@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_states_and_gradients_of_a_layer_are_those_of_torch(leftward, scale):
    peer = nn.GRU(3, 11, batch_first=True).double()
    x = (scale * torch.randn(5, 7, 3).double()).requires_grad_()
    expected = torchs_outputs(peer, x, LENGTHS, leftward)
    seen = torch.randn_like(expected)
    wanted = torch.autograd.grad((seen * expected).sum(), [x, *peer.parameters()])

    cell, ours = cell_of(peer), single(x)
    active = (torch.arange(7) < LENGTHS[:, None]).T.contiguous()
    outputs = gru_outputs(cell, ours.transpose(0, 1), active, leftward=leftward).transpose(0, 1)
    close(outputs, expected)
    found = torch.autograd.grad(
        (seen.float() * outputs).sum(), [ours, *cell.kernel_weights()], retain_graph=True
    )
    for each, other in zip(found, wanted, strict=True):
        assert_close(each.double(), other, rtol=1e-4, atol=1e-4 * scale)
    again = torch.autograd.grad((seen.float() * outputs).sum(), [ours, *cell.kernel_weights()])
    assert_close(again, found, rtol=0, atol=0)


def test_what_stands_beyond_a_sequence_reaches_neither_value_nor_gradient():
    cell, x = GRU(3, 5, reset="after"), torch.randn(7, 2, 3)
    weights = cell.kernel_weights()
    active = torch.arange(7)[:, None] < torch.tensor([7, 4])
    for leftward in (False, True):
        other = x.clone()
        other[4:, 1] = float("nan")
        found = []
        for each in (x, other):
            outputs = gru_outputs(cell, each, active.contiguous(), leftward=leftward)
            loss = outputs.square().sum()
            once = torch.autograd.grad(loss, weights, retain_graph=True)
            again = torch.autograd.grad(loss, weights, create_graph=True)
            twice = torch.autograd.grad(sum(one.square().sum() for one in again), weights)
            found.append((loss, once, twice))
        assert_close(*found, rtol=0, atol=0)


@pytest.mark.parametrize("turned", [False, True])
def test_a_step_is_that_of_torchs_cell(turned):
    peer = nn.GRUCell(3, 7).double()
    x = torch.randn(5, 3).double()
    hidden = torch.randn(5, 7).double().requires_grad_()
    inputs = (x @ peer.weight_ih.T + peer.bias_ih).detach().requires_grad_()
    expected = peer(x, hidden)
    seen = torch.randn(5, 7).double()

    own = single(hidden @ peer.weight_hh.T + peer.bias_hh)
    if turned:
        own = own.detach().T.contiguous().T.requires_grad_()
    parts = single(inputs), own, single(hidden)
    after = gru_step(*parts)
    close(after, expected)

    doubled = [part.detach().double().requires_grad_() for part in parts]
    r, z = torch.sigmoid(doubled[0][:, :14] + doubled[1][:, :14]).chunk(2, -1)
    n = torch.tanh(doubled[0][:, 14:] + r * doubled[1][:, 14:])
    plain = z * doubled[2] + (1 - z) * n
    close(after, plain)
    wanted = torch.autograd.grad((seen * plain).sum(), doubled)
    for each, other in zip(
        torch.autograd.grad((seen.float() * after).sum(), parts), wanted, strict=True
    ):
        close(each, other)


def second(outputs, leaves, seen):
    """The gradient of the squared gradient."""
    found = torch.autograd.grad((seen * outputs.square()).sum(), leaves, create_graph=True)
    return torch.autograd.grad(sum(each.square().sum() for each in found), leaves)


@pytest.mark.parametrize("leftward", [False, True])
def test_second_derivatives_of_a_layer_are_those_of_torch(leftward):
    peer = nn.GRU(3, 5, batch_first=True).double()
    x = torch.randn(5, 7, 3).double().requires_grad_()
    expected = torchs_outputs(peer, x, LENGTHS, leftward)
    seen = torch.randn_like(expected)
    wanted = second(expected, [x, *peer.parameters()], seen)
    cell, ours = cell_of(peer), single(x)
    active = (torch.arange(7) < LENGTHS[:, None]).T.contiguous()
    outputs = gru_outputs(cell, ours.transpose(0, 1), active, leftward=leftward).transpose(0, 1)
    found = second(outputs, [ours, *cell.kernel_weights()], seen.float())
    for each, other in zip(found, wanted, strict=True):
        assert_close(each.double(), other, rtol=1e-3, atol=1e-3)


def test_second_derivatives_of_a_step_are_those_of_torchs_cell():
    peer = nn.GRUCell(3, 7).double()
    x, hidden = (torch.randn(5, width).double().requires_grad_() for width in (3, 7))
    seen = torch.randn(5, 7).double()
    wanted = second(peer(x, hidden), [x, hidden], seen)
    weights = [single(each) for each in peer.parameters()]
    ours = single(x), single(hidden)
    inputs = nn.functional.linear(ours[0], weights[0], weights[2])
    own = nn.functional.linear(ours[1], weights[1], weights[3])
    found = second(gru_step(inputs, own, ours[1]), ours, seen.float())
    for each, other in zip(found, wanted, strict=True):
        assert_close(each.double(), other, rtol=1e-3, atol=1e-3)


def test_what_is_not_a_number_stays_so():
    inputs, own, hidden = (torch.randn(2, width, requires_grad=True) for width in (15, 15, 5))
    with torch.no_grad():
        inputs[1, 3] = float("nan")
    after = gru_step(inputs, own, hidden)
    assert after[0].isfinite().all()
    assert after[1, 3].isnan()


@pytest.mark.parametrize("reset", ["before", "after"])
def test_both_ways_are_the_same_with_and_without_it(reset):
    layer = Bidirectional(GRU(3, 5, reset=reset), GRU(3, 5, reset=reset))
    x = torch.randn(5, 7, 3, requires_grad=True)
    assert runs_compiled(layer.rightward.cell, x) == (reset == "after")
    found = {}
    for compiled in (True, False):
        with nullcontext() if compiled else without_numba():
            outputs, last = both_ways(layer, x, LENGTHS)
        loss = outputs.square().sum() + last.sin().sum()
        found[compiled] = outputs, last, *torch.autograd.grad(loss, [x, *layer.parameters()])
    assert_close(found[True], found[False], rtol=1e-4, atol=1e-5)


def test_it_is_for_learning_in_single_precision_on_a_cpu():
    x = torch.randn(2, 3)
    assert compiled_for(x)
    assert not compiled_for(x, x.double())
    assert not compiled_for(x.to("meta"))
    with torch.autocast("cpu", torch.bfloat16):
        assert not compiled_for(x)
    with torch.no_grad():
        assert not compiled_for(x)
