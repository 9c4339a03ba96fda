"""Residual attention against loops: trunk, hourglass, activations."""

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from nn.vision.cases import draw, parameters, randomised
from reference import residual_attention as reference
from regard.errors import ChoiceError, RangeError, ShapeError
from regard.lens import capture
from regard.nn.vision import ResidualAttention


@pytest.mark.parametrize("activation", ["mixed", "channel", "spatial"])
@pytest.mark.parametrize("depth", [1, 2])
def test_output_and_mask_equal_the_loops(activation, depth):
    module = randomised(ResidualAttention(4, depth=depth, activation=activation))
    features = draw(1, 4, 5, 3)
    with capture(module) as record:
        found = module(features)
    output, mask = reference.residual_attention(
        parameters(module), activation, features[0].tolist()
    )
    assert_close(record[""].weights[0], torch.tensor(mask, dtype=torch.float64))
    assert_close(found[0], torch.tensor(output, dtype=torch.float64))


def closed(module):
    """The module with a mask of sigmoid(−1000) = 0."""
    head = module.mask.head[1]
    with torch.no_grad():
        head.norm.weight.zero_()
        head.norm.bias.fill_(1.0)
        head.convolution.weight.fill_(-1000.0)
    return module


def test_a_closed_mask_lets_the_trunk_pass_as_it_is():
    module = closed(randomised(ResidualAttention(8)))
    features = draw(2, 8, 5, 7)
    assert_close(module(features), module.after(module.trunk(module.before(features))))


def test_a_trunk_of_ones_own_takes_the_place_of_the_units():
    trunk = nn.Conv2d(8, 8, 3, padding=1)
    module = closed(randomised(ResidualAttention(8, trunk=trunk, num_outer_units=0)))
    features = draw(2, 8, 5, 7)
    assert_close(module(features), trunk(features))
    assert not any(name.startswith("trunk.0") for name in module.state_dict())


@pytest.mark.parametrize(
    "shape", [(2, 8, 7), (2, 8, 5, 7), (2, 8, 2, 3, 5), (2, 8, 1, 1), (2, 8, 1, 9)]
)
def test_any_size_of_sequence_image_or_video_keeps_its_shape(shape):
    module = randomised(ResidualAttention(8, depth=3, dims=len(shape) - 2))
    found = module(draw(*shape))
    assert found.shape == shape
    assert found.isfinite().all()


def test_a_sequence_is_an_image_one_row_high():
    module = randomised(ResidualAttention(8, depth=2, dims=1))
    image = ResidualAttention(8, depth=2).double().eval()
    state = {}
    for name, tensor in module.state_dict().items():
        if tensor.dim() == 3:  # a kernel becomes the middle row of one that is as high as wide
            size = tensor.shape[-1]
            tensor = nn.functional.pad(tensor.unsqueeze(-2), (0, 0, size // 2, size // 2))
        state[name] = tensor
    image.load_state_dict(state)
    features = draw(2, 8, 7)
    assert_close(module(features), image(features.unsqueeze(2)).squeeze(2))


@pytest.mark.parametrize("activation", ["channel", "spatial"])
def test_scores_of_zero_have_a_finite_gradient(activation):
    module = randomised(ResidualAttention(8, activation=activation))
    with torch.no_grad():
        module.mask.head[1].convolution.weight.zero_()
    features = draw(2, 8, 5, 7).requires_grad_()
    (gradient,) = torch.autograd.grad(module(features).sum(), features)
    assert gradient.isfinite().all()


def test_it_trains_with_statistics_of_the_batch():
    module = ResidualAttention(8).double()
    features = draw(2, 8, 5, 7)
    before = module.mask.head[0].norm.running_mean.clone()
    module(features).square().mean().backward()
    assert not torch.equal(module.mask.head[0].norm.running_mean, before)
    assert all(p.grad is not None and p.grad.isfinite().all() for p in module.parameters())


def test_mistakes_are_answered_in_one_sentence(without_shape_checks):
    with pytest.raises(ChoiceError, match=r"unknown activation 'soft'\. Known: channel, mixed, sp"):
        ResidualAttention(8, activation="soft")
    with pytest.raises(RangeError, match="ResidualAttention needs depth of at least 1, got 0"):
        ResidualAttention(8, depth=0)
    with pytest.raises(RangeError, match="needs num_trunk_units of at least 0, got -1"):
        ResidualAttention(8, num_trunk_units=-1)
    with pytest.raises(ShapeError, match=r"ResidualAttention needs .* 8 channels .* got \(2, 7, 5"):
        ResidualAttention(8)(torch.zeros(2, 7, 5, 3))
    shrinking = ResidualAttention(8, trunk=nn.MaxPool2d(2))
    with pytest.raises(
        ShapeError, match=r"a trunk that keeps the shape, \(2, 8, 6, 4\), got \(2, 8"
    ):
        shrinking(torch.zeros(2, 8, 6, 4))
