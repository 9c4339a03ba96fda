"""The attention gate of the Attention U-Net against loops."""

import pytest
import torch
from torch.testing import assert_close

from nn.vision.cases import draw, parameters, randomised
from reference import regions as reference
from regard.errors import RangeError, ShapeError
from regard.lens import capture
from regard.nn.vision import AttentionGate


def test_a_gate_on_one_grid_equals_the_loops():
    module = randomised(AttentionGate(3, 2, hidden_dim=5))
    features, signal = draw(2, 3, 5, 7), draw(2, 2, 5, 7, seed=2)
    expected = [
        reference.attention_gate(parameters(module), *pair)
        for pair in zip(features.tolist(), signal.tolist(), strict=True)
    ]
    gate = module.gate(features, signal)
    assert_close(gate[:, 0], torch.tensor(expected, dtype=torch.float64))
    assert_close(module(features, signal), features * gate)


def test_a_coarse_signal_sees_the_mean_of_its_pixels_and_comes_back_between_them():
    module = randomised(AttentionGate(3, 2))
    features, signal = draw(1, 3, 4, 6), draw(1, 2, 2, 3, seed=2)
    means = features.unflatten(3, (3, 2)).unflatten(2, (2, 2)).mean(dim=(3, 5))
    coarse = torch.tensor(
        reference.attention_gate(parameters(module), means[0].tolist(), signal[0].tolist()),
        dtype=torch.float64,
    )
    gate = module.gate(features, signal)[0, 0]
    assert gate.shape == (4, 6)
    assert_close(gate[0, 0], coarse[0, 0])  # at a corner there is nothing between
    assert_close(
        gate[1, 1],
        0.75**2 * coarse[0, 0] + 0.1875 * (coarse[0, 1] + coarse[1, 0]) + 0.0625 * coarse[1, 1],
    )


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_gradients_are_those_of_differences(dims):
    module = randomised(AttentionGate(2, 3, dims=dims))
    features, signal = draw(1, 2, *(4,) * dims), draw(1, 3, *(2,) * dims, seed=2)
    both = features.requires_grad_(), signal.requires_grad_()
    assert torch.autograd.gradcheck(module, both)


def test_a_capture_shows_the_gate():
    module = AttentionGate(3, 2)
    with capture(module) as record:
        module(torch.randn(2, 3, 6, 4), torch.randn(2, 2, 3, 2))
    assert record[""].looks[0].weigh().shape == (2, 1, 6, 4)


def test_mistakes_are_answered_in_one_sentence(without_shape_checks):
    module = AttentionGate(3, 2)
    with pytest.raises(ShapeError, match="of 3 channels"):
        module(torch.zeros(1, 2, 4, 4), torch.zeros(1, 2, 2, 2))
    with pytest.raises(ShapeError, match="a signal for each of 2 pictures, got 1"):
        module(torch.zeros(2, 3, 4, 4), torch.zeros(1, 2, 2, 2))
    with pytest.raises(RangeError):
        AttentionGate(3, 0)
