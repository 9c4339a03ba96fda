"""The channel half of CBAM against loops."""

import torch
from torch.testing import assert_close

from nn.vision.cases import draw, parameters, randomised
from reference import vision as reference
from regard.nn.vision import ChannelAttention, SqueezeExcitation


def test_an_image_equals_the_loops():
    module, features = randomised(ChannelAttention(6, 2)), draw(2, 6, 3, 5)
    expected = []
    for one in features.flatten(2).tolist():
        gate = reference.channel_attention_gate(parameters(module), one)
        expected.append(reference.gated_channels(gate, one))
    assert_close(module(features).flatten(2), torch.tensor(expected, dtype=torch.float64))


def test_where_mean_and_maximum_agree_it_is_squeeze_and_excitation_with_twice_the_score():
    module = randomised(ChannelAttention(6, 2))
    squeeze = SqueezeExcitation(6, 2).double()
    squeeze.load_state_dict(module.state_dict())
    constant = draw(2, 6, 1).expand(-1, -1, 7)
    assert_close(module.gate(constant).logit(), 2 * squeeze.gate(constant).logit())


def test_padding_is_as_if_it_were_not_there():
    module, features = randomised(ChannelAttention(6, 2)), draw(2, 6, 3, 5)
    allowed = torch.ones(2, 3, 5, dtype=torch.bool)
    allowed[1, :, 2:] = False
    padded = features.masked_fill(~allowed.unsqueeze(1), 1e9)
    found = module.gate(padded, allowed)
    assert_close(found[:1], module.gate(features[:1]))
    assert_close(found[1:], module.gate(features[1:, ..., :2]))


def test_an_image_of_nothing_but_padding_has_neither_nan_nor_gradient():
    module, features = randomised(ChannelAttention(6, 2)), draw(2, 6, 7).requires_grad_()
    gate = module.gate(features, torch.tensor([0, 5]))
    assert_close(gate[0], torch.full((6,), 0.5, dtype=torch.float64))
    (gradient,) = torch.autograd.grad(gate.sum(), features)
    assert not gradient[0].any()
    assert gradient.isfinite().all()
