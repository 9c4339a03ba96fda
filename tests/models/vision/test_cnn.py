"""Residual networks: as written by hand, with any attention in any block."""

import pytest
import torch
from pydantic import ValidationError
from torch.nn import functional
from torch.testing import assert_close

from regard.models import build
from regard.models.vision import CNN, CNNConfig
from regard.models.vision.cnn import ResidualBlock
from regard.nn import vision


def norm(x, p, name):
    kept = (p[f"{name}.{what}"] for what in ("running_mean", "running_var", "weight", "bias"))
    return functional.batch_norm(x, *kept)


@pytest.mark.parametrize(("channels", "stride"), [(5, 1), (3, 1), (5, 2)])
def test_a_block_is_two_convolutions_beside_a_skip(channels, stride):
    torch.manual_seed(0)
    block = ResidualBlock(channels, 5, stride, None).double().eval()
    for tensor in block.state_dict().values():
        if tensor.is_floating_point():
            tensor.copy_(torch.rand_like(tensor) + 0.1)
    p, x = block.state_dict(), torch.randn(2, channels, 7, 6, dtype=torch.float64)
    inner = norm(
        functional.conv2d(x, p["convolution1.weight"], stride=stride, padding=1), p, "norm1"
    )
    added = norm(functional.conv2d(inner.relu(), p["convolution2.weight"], padding=1), p, "norm2")
    skip = x
    if channels != 5 or stride != 1:
        skip = norm(functional.conv2d(x, p["skip.0.weight"], stride=stride), p, "skip.1")
    assert_close(block(x), (skip + added).relu())


def test_the_usual_config_is_resnet_20():
    model = build("resnet-20", labels=10)
    convolutions = [one for one in model.modules() if isinstance(one, torch.nn.Conv2d)]
    assert sum(one.kernel_size == (3, 3) for one in convolutions) == 19
    assert 0.27e6 < sum(one.numel() for one in model.parameters()) < 0.28e6


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("se", vision.SqueezeExcitation),
        ("eca", vision.EfficientChannelAttention),
        ("cbam", vision.CBAM),
        ("channel", vision.ChannelAttention),
        ("spatial", vision.SpatialAttention),
        ("non_local", vision.NonLocal),
        ("global_context", vision.GlobalContext),
        ("coordinate", vision.CoordinateAttention),
    ],
)
def test_any_attention_stands_in_every_block_or_in_one(name, kind):
    shape = {"widths": (4, 8), "blocks": (1, 2), "strides": (1, 2)}
    everywhere = CNN(CNNConfig(attention=name, **shape))
    assert sum(isinstance(one, kind) for one in everywhere.modules()) == 3
    once = CNN(CNNConfig(attention=(None, name, None), **shape))
    found = [place for place, one in once.named_modules() if isinstance(one, kind)]
    assert found == ["stages.1.0.attention"]
    pixels = torch.randint(256, (2, 3, 9, 9), dtype=torch.uint8)
    once(pixels).sum().backward()


def test_configs_that_do_not_fit_are_told():
    with pytest.raises(ValidationError, match="one number a stage, got 3, 2 and 3"):
        CNNConfig(blocks=(1, 1))
    with pytest.raises(ValidationError, match="one for each of 9 blocks, got 2"):
        CNNConfig(attention=("se", None))
