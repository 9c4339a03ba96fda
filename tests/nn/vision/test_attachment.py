"""Attention comes into a network of a user, where it belongs."""

import pytest
import torch
from torch import nn

from regard.errors import ChoiceError
from regard.lens import capture
from regard.nn.vision import ATTENTIONS, add_attention


class Block(nn.Module):
    def __init__(self, channels, width):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.skip = nn.Sequential(nn.Conv2d(channels, width, 1), nn.BatchNorm2d(width))

    def forward(self, x):
        return torch.relu(self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x))))) + self.skip(x))


def resnet() -> nn.Module:
    torch.manual_seed(0)
    head = (nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 5))
    return nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), Block(8, 8), Block(8, 16), *head)


def plain() -> nn.Module:
    return nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 16, 3), nn.ReLU())


@pytest.mark.parametrize("name", list(ATTENTIONS))
def test_every_attention_fits_into_a_residual_network_and_trains(name):
    model, before = resnet(), resnet()
    assert add_attention(model, name) is model
    found = [place for place, part in model.named_modules() if place.endswith(".attention")]
    assert found == ["2.bn2.attention", "3.bn2.attention"]
    images = torch.randn(3, 3, 9, 11)
    model(images).square().sum().backward()
    assert all(one.grad is not None for one in model.parameters() if one.requires_grad)
    kept = {k.replace("bn2.layer", "bn2"): v for k, v in model.state_dict().items()}
    for key, value in before.state_dict().items():
        if "running" not in key and "tracked" not in key:
            assert torch.equal(kept[key], value)


def test_gates_are_captured_by_the_place_they_were_put_in():
    model = add_attention(resnet(), "se").eval()
    with capture(model) as record:
        model(torch.randn(2, 3, 9, 11))
    assert set(record) == {"2.bn2.attention", "3.bn2.attention"}
    assert record["3.bn2.attention"].weights.shape == (2, 1, 16)


def test_without_blocks_attention_stands_behind_every_convolution():
    model = add_attention(plain(), "eca")
    assert [name for name, part in model.named_modules() if name.endswith("attention")] == [
        "0.attention",
        "2.attention",
    ]


def test_it_may_stand_behind_one_layer_alone():
    model = add_attention(resnet(), "cbam", after="3")
    assert [name for name, _ in model.named_children()] == [*"0123456"]
    assert model[3].attention.channel.channels == 16
    assert model(torch.randn(2, 3, 9, 9)).shape == (2, 5)


def test_what_cannot_be_is_told():
    with pytest.raises(ChoiceError, match="Did you mean 'se'"):
        add_attention(resnet(), "sse")
    with pytest.raises(ChoiceError, match="'9' is none"):
        add_attention(resnet(), "se", after="9")
    with pytest.raises(ChoiceError, match="Linear has none"):
        add_attention(nn.Linear(2, 3), "se")
    with pytest.raises(ChoiceError, match="how many channels it puts out, '1' does not"):
        add_attention(plain(), "se", after="1")
