"""CBAM against loops, and its two halves seen from outside."""

import pytest
import torch
from torch.testing import assert_close

from nn.vision.cases import draw, parameters, randomised
from reference import vision as reference
from regard.lens import capture
from regard.nn.vision import CBAM


def half(module, name):
    """The parameters of one half."""
    return parameters(getattr(module, name))


def test_an_image_equals_the_loops_channels_first():
    module, features = randomised(CBAM(6, reduction=2, kernel_size=3)), draw(2, 6, 5, 7)
    expected = []
    for one in features.tolist():
        flat = [[x for row in grid for x in row] for grid in one]
        gate = reference.channel_attention_gate(half(module, "channel"), flat)
        let_through = [[[g * x for x in row] for row in m] for g, m in zip(gate, one, strict=True)]
        where = reference.spatial_attention_gate(half(module, "spatial"), let_through)
        expected.append(reference.gated_positions(where, let_through))
    assert_close(module(features), torch.tensor(expected, dtype=torch.float64))


@pytest.mark.parametrize(("dims", "shape"), [(1, (2, 6, 7)), (3, (2, 6, 3, 5, 7))])
def test_sequences_and_videos_keep_their_shape(dims, shape):
    module = randomised(CBAM(6, reduction=2, kernel_size=3, dims=dims))
    assert module(draw(*shape)).shape == shape


def test_what_a_capture_shows_is_what_the_features_were_multiplied_by():
    module, features = randomised(CBAM(6, reduction=2, kernel_size=3)), draw(2, 6, 5, 7)
    with capture(module) as record:
        found = module(features)
    channels = record["channel"].weights.squeeze(1)[..., None, None]
    assert_close(features * channels * record["spatial"].weights, found)


def test_padding_does_not_reach_what_is_real():
    module, features = randomised(CBAM(6, reduction=2, kernel_size=3, dims=1)), draw(2, 6, 7)
    padded = features.clone()
    padded[1, :, 4:] = 1e9
    found = module(padded, torch.tensor([7, 4]))
    assert_close(found[:1], module(features[:1]))
    assert_close(found[1:, :, :4], module(features[1:, :, :4]))
