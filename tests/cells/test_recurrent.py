"""Whole sequences: packed ones, and what is refused."""

import pytest
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from torch.testing import assert_close

from cells.every import leaves
from regard.cells import GRU, LSTM, Bidirectional, Recurrent
from regard.errors import ChoiceError, DtypeError, RangeError, ShapeError


def runners():
    return [
        Recurrent(LSTM(3, 5)),
        Recurrent(GRU(3, 5)),
        Bidirectional(LSTM(3, 5), GRU(3, 2)),
    ]


@pytest.mark.parametrize("runner", runners(), ids=["fused", "stepwise", "bidirectional"])
@pytest.mark.parametrize(("lengths", "is_sorted"), [([2, 4, 1], False), ([4, 2, 1], True)], ids=str)
def test_a_packed_sequence_gives_one_back(runner, lengths, is_sorted):
    x, lengths = torch.randn(3, 4, 3), torch.tensor(lengths)
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=is_sorted)
    made, state = runner(packed)
    expected, expected_state = runner(x, lengths=lengths)
    outputs, found_lengths = pad_packed_sequence(made, batch_first=True)
    assert_close(outputs, expected)
    assert found_lengths.tolist() == lengths.tolist()
    assert made.batch_sizes.tolist() == packed.batch_sizes.tolist()
    for found, wanted in zip(leaves(state), leaves(expected_state), strict=True):
        assert_close(found, wanted)


@pytest.mark.parametrize("runner", runners(), ids=["fused", "stepwise", "bidirectional"])
def test_lengths_beside_a_packed_sequence_are_refused(runner):
    packed = pack_padded_sequence(torch.randn(2, 4, 3), torch.tensor([4, 2]), batch_first=True)
    with pytest.raises(ChoiceError, match="a PackedSequence has lengths of its own"):
        runner(packed, lengths=torch.tensor([4, 2]))


@pytest.mark.parametrize("runner", runners(), ids=["fused", "stepwise", "bidirectional"])
@pytest.mark.parametrize(
    ("lengths", "error", "message"),
    [
        ([1.0, 2.0], DtypeError, "lengths need to be whole numbers, got torch.float32"),
        ([True, False], DtypeError, "lengths need to be whole numbers, got torch.bool"),
        ([1, 2, 3], ShapeError, r"one number per sequence, \(2,\), .* got \(3,\)"),
        ([1, 5], RangeError, "lengths need to be from 0 to 4, the number of steps, got 5"),
        ([-1, 4], RangeError, "lengths need to be from 0 to 4, the number of steps, got -1"),
    ],
)
def test_lengths_are_checked(runner, lengths, error, message, without_shape_checks):
    with pytest.raises(error, match=message):
        runner(torch.randn(2, 4, 3), lengths=torch.tensor(lengths))


@pytest.mark.parametrize("runner", runners(), ids=["fused", "stepwise", "bidirectional"])
@pytest.mark.parametrize("dtype", [torch.int32, torch.uint8])
def test_lengths_of_any_whole_kind_will_do(runner, dtype, without_shape_checks):
    x, lengths = torch.randn(3, 4, 3), torch.tensor([4, 2, 0])
    assert_close(runner(x, lengths=lengths.to(dtype))[0], runner(x, lengths=lengths)[0])
