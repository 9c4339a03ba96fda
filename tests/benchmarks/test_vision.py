"""Peers of the race have the shape of ours, and the table says what was measured."""

import torch

from benchmarks.vision.cifar import MODELS, table
from benchmarks.vision.plain import PlainResNet, PlainViT
from benchmarks.vision.race import CNN, VIT
from regard.models import build


def size(model):
    return sum(one.numel() for one in model.parameters())


def test_plain_models_have_as_many_parameters_and_the_same_outputs():
    pixels = torch.randint(256, (2, 3, 32, 32), dtype=torch.uint8)
    for ours, plain in (("cnn", PlainResNet(**CNN)), ("vit", PlainViT(**VIT))):
        assert size(build(ours, labels=10)) == size(plain)
        assert plain(pixels).shape == (2, 10)


def test_the_table_has_a_row_for_every_model():
    row = {
        "model": "cnn",
        "parameters": 281234,
        "test": 89.514,
        "interval": {"low": 88.9, "high": 90.1},
        "valid": 90.0,
        "images_per_second": 612.3,
    }
    assert "| cnn | 281,234 | 89.51 [88.90, 90.10] | 90.00 | 612 |" in table([row])
    assert len(MODELS) == 7
