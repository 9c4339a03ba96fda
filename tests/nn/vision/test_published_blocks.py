"""Blocks as their authors published them, against loops."""

import pytest
import torch
from torch.testing import assert_close

from nn.vision.cases import draw, parameters, randomised
from reference import vision as reference
from regard.errors import ChoiceError, RangeError, ShapeError
from regard.nn import vision
from regard.nn.vision.efficient import neighbours

SHAPES = [(2, 6, 5), (2, 6, 3, 7), (2, 6, 3, 5, 7)]


@pytest.mark.parametrize("kind", ["SqueezeExcitation", "ChannelAttention"])
def test_gates_with_biases_equal_the_loops(kind):
    module = randomised(getattr(vision, kind)(6, hidden_channels=5, bias=True))
    features = draw(2, 6, 7)
    gate = {
        "SqueezeExcitation": reference.squeeze_excitation_gate,
        "ChannelAttention": reference.channel_attention_gate,
    }[kind]
    expected = [gate(parameters(module), one) for one in features.tolist()]
    if kind == "ChannelAttention":  # the bias of the last map counts for mean and maximum
        assert module.expand_proj.bias.abs().min() > 0
    assert_close(module.gate(features), torch.tensor(expected, dtype=torch.float64))


def test_spatial_attention_with_its_norm_equals_the_loops():
    module, features = randomised(vision.SpatialAttention(3, norm="batch")), draw(2, 4, 5, 7)
    expected = [
        reference.spatial_attention_gate(parameters(module), one) for one in features.tolist()
    ]
    assert_close(module.gate(features)[:, 0], torch.tensor(expected, dtype=torch.float64))
    with pytest.raises(ChoiceError, match="unknown norm 'layer'"):
        vision.SpatialAttention(norm="layer")


def test_cbam_hands_its_choices_on():
    module = vision.CBAM(6, hidden_channels=5, bias=True, norm="batch")
    assert module.channel.reduce_proj.weight.shape == (5, 6)
    assert module.channel.expand_proj.bias is not None
    assert module.spatial.norm.num_features == 1


@pytest.mark.parametrize("shape", SHAPES)
def test_efficient_channel_attention_equals_the_loops(shape):
    module, features = randomised(vision.EfficientChannelAttention(6, 5)), draw(*shape)
    expected = []
    for one in features.flatten(2).tolist():
        gate = reference.efficient_channel_gate(parameters(module), one)
        expected.append(reference.gated_channels(gate, one))
    assert_close(module(features).flatten(2), torch.tensor(expected, dtype=torch.float64))


@pytest.mark.parametrize(("channels", "wanted"), [(1, 3), (64, 3), (128, 5), (256, 5), (2048, 7)])
def test_as_many_neighbours_decide_as_the_paper_says(channels, wanted):
    assert neighbours(channels) == wanted
    assert vision.EfficientChannelAttention(channels).convolution.weight.shape == (1, 1, wanted)


def test_an_even_number_of_neighbours_is_refused():
    with pytest.raises(RangeError, match=r"odd kernel_size.* got 4"):
        vision.EfficientChannelAttention(6, 4)


@pytest.mark.parametrize("fuse", ["add", "scale", "both"])
@pytest.mark.parametrize("shape", SHAPES)
def test_global_context_equals_the_loops(shape, fuse):
    module, features = randomised(vision.GlobalContext(6, 2, fuse=fuse)), draw(*shape)
    expected = [
        reference.global_context(parameters(module), one, fuse)
        for one in features.flatten(2).tolist()
    ]
    assert_close(module(features).flatten(2), torch.tensor(expected, dtype=torch.float64))


def test_global_context_starts_as_the_identity_and_sees_no_padding():
    fresh, features = vision.GlobalContext(6).double(), draw(2, 6, 7)
    assert torch.equal(fresh(features), features)
    module = randomised(vision.GlobalContext(6, 2))
    padded = features.clone()
    padded[1, :, 3:] = 1e6
    lengths = torch.tensor([7, 3])
    assert_close(module.context(padded, lengths)[1:], module.context(features[1:, :, :3]))


def test_coordinate_attention_equals_the_loops():
    module, features = randomised(vision.CoordinateAttention(6)), draw(2, 6, 3, 5)
    expected = [
        reference.coordinate_attention(parameters(module), one) for one in features.tolist()
    ]
    assert_close(module(features), torch.tensor(expected, dtype=torch.float64))


def test_coordinate_attention_needs_an_image():
    with pytest.raises(ShapeError, match="positions on 2 axes"):
        vision.CoordinateAttention(6)(torch.zeros(2, 6, 5))


@pytest.mark.parametrize("name", ["eca", "global_context", "coordinate"])
def test_gradients_are_right(name):
    module = randomised(
        {
            "eca": lambda: vision.EfficientChannelAttention(4),
            "global_context": lambda: vision.GlobalContext(4, 2, fuse="both"),
            "coordinate": lambda: vision.CoordinateAttention(4, hidden_channels=3),
        }[name]()
    )
    assert torch.autograd.gradcheck(module, (draw(2, 4, 3, 2).requires_grad_(),))
