"""Squeeze and excitation against loops, and what its gate promises."""

import pytest
import torch
from torch.testing import assert_close

from nn.vision.cases import draw, parameters, randomised
from reference import vision as reference
from regard.errors import DtypeError, RangeError, ShapeError
from regard.nn.vision import SqueezeExcitation

SHAPES = [(2, 6, 5), (2, 6, 3, 7), (2, 6, 3, 5, 7)]


@pytest.mark.parametrize("shape", SHAPES)
def test_sequences_images_and_videos_equal_the_loops(shape):
    module, features = randomised(SqueezeExcitation(6, 2)), draw(*shape)
    expected = []
    for one in features.flatten(2).tolist():
        gate = reference.squeeze_excitation_gate(parameters(module), one)
        expected.append(reference.gated_channels(gate, one))
    assert_close(module(features).flatten(2), torch.tensor(expected, dtype=torch.float64))


@pytest.mark.parametrize(
    ("channels", "reduction", "hidden"), [(64, 16, 4), (35, 16, 2), (7, 16, 1), (6, 1, 6)]
)
def test_the_hidden_layer_is_narrower_by_the_reduction_and_never_empty(channels, reduction, hidden):
    module = SqueezeExcitation(channels, reduction)
    assert module.reduce_proj.weight.shape == (hidden, channels)
    assert module.expand_proj.weight.shape == (channels, hidden)


def test_the_reduction_is_16_unless_told():
    assert SqueezeExcitation(64).reduce_proj.out_features == 4


def test_gates_lie_between_zero_and_one_and_zeros_open_them_halfway():
    module = randomised(SqueezeExcitation(6, 2))
    gate = module.gate(10 * draw(3, 6, 5))
    assert gate.shape == (3, 6)
    assert ((gate > 0) & (gate < 1)).all()
    assert_close(
        module.gate(torch.zeros(1, 6, 5, dtype=torch.float64)), torch.full((1, 6), 0.5).double()
    )


def test_positions_in_another_order_give_the_same_gate():
    module, features = randomised(SqueezeExcitation(6, 2)), draw(2, 6, 7)
    assert_close(module.gate(features[..., torch.randperm(7)]), module.gate(features))


def test_padding_is_as_if_it_were_not_there_by_lengths_and_by_booleans():
    module, features = randomised(SqueezeExcitation(6, 2)), draw(2, 6, 7)
    padded = features.clone()
    padded[1, :, 3:] = 1e9
    found = module.gate(padded, torch.tensor([7, 3]))
    assert_close(found[:1], module.gate(features[:1]))
    assert_close(found[1:], module.gate(features[1:, :, :3]))
    assert torch.equal(module.gate(padded, torch.arange(7) < torch.tensor([[7], [3]])), found)


def test_an_image_of_nothing_but_padding_has_neither_nan_nor_gradient():
    module, features = randomised(SqueezeExcitation(6, 2)), draw(2, 6, 7).requires_grad_()
    gate = module.gate(features, torch.tensor([0, 5]))
    assert_close(gate[0], torch.full((6,), 0.5, dtype=torch.float64))
    (gradient,) = torch.autograd.grad(gate.sum(), features)
    assert not gradient[0].any()
    assert gradient.isfinite().all()


def test_a_mean_of_large_half_precision_numbers_does_not_overflow():
    module = SqueezeExcitation(6, 2).half()
    features = torch.full((1, 6, 50), 60000.0).half()
    described = module.descriptors(features, torch.ones(1, 1, 50, dtype=torch.bool))
    assert_close(described, torch.full((1, 1, 6), 60000.0).half())


def test_mistakes_are_answered_in_one_sentence(without_shape_checks):
    module = SqueezeExcitation(6)
    with pytest.raises(
        ShapeError, match=r"SqueezeExcitation needs .* 6 channels .*got \(2, 5, 7\)"
    ):
        module(torch.zeros(2, 5, 7))
    with pytest.raises(ShapeError, match=r"one or more axes, got \(2, 6\)"):
        module(torch.zeros(2, 6))
    with pytest.raises(ShapeError, match=r"needs the shape \(2, 7\) .*, got \(2, 5\)"):
        module(torch.zeros(2, 6, 7), torch.ones(2, 5, dtype=torch.bool))
    with pytest.raises(ShapeError, match=r"needs the shape \(2,\) .*, got \(3,\)"):
        module(torch.zeros(2, 6, 7), torch.tensor([1, 2, 3]))
    with pytest.raises(DtypeError, match=r"booleans .* or whole lengths .* got torch.float32"):
        module(torch.zeros(2, 6, 7), torch.ones(2, 7))
    with pytest.raises(RangeError, match="SqueezeExcitation needs reduction of at least 1, got 0"):
        SqueezeExcitation(6, 0)
    with pytest.raises(RangeError, match="SqueezeExcitation needs channels of at least 1, got 0"):
        SqueezeExcitation(0)
