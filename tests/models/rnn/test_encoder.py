"""The encoder against torch's own layers."""

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from torch.testing import assert_close

from regard.cells import GRU, Bidirectional
from regard.errors import ShapeError
from regard.models.rnn.encoder import Encoder, both_ways


@pytest.mark.parametrize("directions", ["right", "both"])
def test_it_is_torchs_stack_of_lstms_with_the_same_weights(directions):
    both = directions == "both"
    width = 3 if both else 6
    torchs = nn.LSTM(5, width, 2, batch_first=True, bidirectional=both).double()
    encoder = Encoder("lstm", input_dim=5, hidden_dim=6, num_layers=2, directions=directions)
    encoder = encoder.double()
    copy_weights(encoder, torchs, both)
    x, lengths = torch.randn(3, 7, 5).double(), torch.tensor([7, 2, 4])
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    expected, (hidden, memory) = torchs(packed)
    outputs, state = encoder(x, lengths)
    assert_close(outputs, pad_packed_sequence(expected, batch_first=True)[0])
    for number, layer in enumerate(state.layers):
        per_layer = slice(2 * number, 2 * number + 2) if both else slice(number, number + 1)
        assert_close(layer.hidden, torch.cat(list(hidden[per_layer]), dim=-1))
        assert_close(layer.memory, torch.cat(list(memory[per_layer]), dim=-1))


def copy_weights(encoder, torchs, both):
    for number, layer in enumerate(encoder.layers):
        cells = [(layer.rightward.cell, ""), (layer.leftward.cell, "_reverse")] if both else []
        for cell, suffix in cells or [(layer.cell, "")]:
            names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
            cell.load_kernel_weights(
                *(getattr(torchs, f"{name}_l{number}{suffix}") for name in names)
            )


def test_both_ways_needs_an_even_width():
    with pytest.raises(ShapeError, match="needs an even hidden_dim, got 7"):
        Encoder("gru", input_dim=5, hidden_dim=7, directions="both")


@pytest.mark.parametrize("reset", ["before", "after"])
def test_padding_that_is_read_along_changes_nothing(reset):
    layer = Bidirectional(GRU(5, 3, reset=reset), GRU(5, 4, reset=reset)).double()
    x, lengths = torch.randn(3, 6, 5).double(), torch.tensor([2, 6, 0])
    outputs, last = both_ways(layer, x, lengths)
    expected, states = layer(x, lengths=lengths)
    assert_close(outputs, expected)
    assert_close(last, states.leftward.hidden)
