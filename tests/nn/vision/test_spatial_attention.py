"""The spatial half of CBAM against loops."""

import pytest
import torch
from torch.testing import assert_close

from nn.vision.cases import draw, parameters, randomised
from reference import vision as reference
from regard.errors import ChoiceError, RangeError, ShapeError
from regard.nn.vision import SpatialAttention


@pytest.mark.parametrize("kernel_size", [1, 3, 7])
def test_an_image_equals_the_loops(kernel_size):
    module, features = randomised(SpatialAttention(kernel_size)), draw(2, 3, 5, 7)
    expected = []
    for one in features.tolist():
        gate = reference.spatial_attention_gate(parameters(module), one)
        expected.append(reference.gated_positions(gate, one))
    assert_close(module(features), torch.tensor(expected, dtype=torch.float64))


def test_the_kernel_is_seven_wide_unless_told():
    assert SpatialAttention().convolution.weight.shape == (1, 2, 7, 7)


def test_a_sequence_is_an_image_one_row_high():
    sequence, image = randomised(SpatialAttention(3, dims=1)), SpatialAttention(3).double()
    with torch.no_grad():
        image.convolution.weight.zero_()
        image.convolution.weight[:, :, 1] = sequence.convolution.weight
    features = draw(2, 5, 7)
    assert_close(sequence(features), image(features.unsqueeze(2)).squeeze(2))


def test_a_video_of_one_frame_is_an_image():
    video, image = randomised(SpatialAttention(3, dims=3)), SpatialAttention(3).double()
    with torch.no_grad():
        image.convolution.weight.copy_(video.convolution.weight[:, :, 1])
    features = draw(2, 2, 5, 7)
    assert_close(video(features.unsqueeze(2)).squeeze(2), image(features))


def test_channels_in_another_order_give_the_same_gate():
    module, features = randomised(SpatialAttention(3)), draw(2, 6, 5, 7)
    assert_close(module.gate(features[:, torch.randperm(6)]), module.gate(features))


def test_padding_is_as_the_zeros_around_the_map():
    module, features = randomised(SpatialAttention(3)), draw(2, 3, 5, 7)
    allowed = torch.ones(2, 5, 7, dtype=torch.bool)
    allowed[1, :, 4:] = False
    padded = features.masked_fill(~allowed.unsqueeze(1), 1e9)
    found = module.gate(padded, allowed)
    assert_close(found[:1], module.gate(features[:1]))
    assert_close(found[1:, ..., :4], module.gate(features[1:, ..., :4]))


def test_mistakes_are_answered_in_one_sentence(without_shape_checks):
    with pytest.raises(RangeError, match=r"SpatialAttention needs an odd kernel_size.* got 4"):
        SpatialAttention(4)
    with pytest.raises(ChoiceError, match=r"SpatialAttention needs dims of 1 .*2 .*3 .*got 4"):
        SpatialAttention(3, dims=4)
    with pytest.raises(ShapeError, match=r"positions on 2 axes, got \(2, 3, 5\)"):
        SpatialAttention(3)(torch.zeros(2, 3, 5))
    with pytest.raises(ShapeError, match=r"positions on 1 axis, got \(2, 3, 5, 7\)"):
        SpatialAttention(3, dims=1)(torch.zeros(2, 3, 5, 7))
