"""Peers of the race have the shape of ours, and the table says what was measured."""

import torch

from benchmarks.vision.cifar import MODELS
from benchmarks.vision.plain import PlainResNet, PlainViT
from benchmarks.vision.race import CNN, VIT
from picture_tables import equal_minutes, image_races, numbers
from regard.models import build


def size(model):
    return sum(one.numel() for one in model.parameters())


def test_plain_models_have_as_many_parameters_and_the_same_outputs():
    pixels = torch.randint(256, (2, 3, 32, 32), dtype=torch.uint8)
    for ours, plain in (("cnn", PlainResNet(**CNN)), ("vit", PlainViT(**VIT))):
        assert size(build(ours, labels=10)) == size(plain)
        assert plain(pixels).shape == (2, 10)


def test_tables_have_a_row_for_every_model_and_peer():
    row = {
        "model": "cnn",
        "parameters": 281234,
        "test": 89.514,
        "interval": {"low": 88.9, "high": 90.1},
        "valid": 90.0,
        "images_per_second": 612.3,
    }
    told = equal_minutes({"minutes_each": 10.0, "models": [row]})
    assert told.startswith("10 minutes each.")
    assert "| `cnn` | 281,234 | 89.51 [88.90, 90.10] | 90.00 | 612 |" in told
    assert len(MODELS) == 7
    race = {
        "model": "vit",
        "images_per_second": {"regard": 1500.4, "torch": 1000.0},
        "ratio": {"torch": 1.5},
        "absent": {"timm": "not installed"},
    }
    assert image_races({"races": [race]}).splitlines()[2:] == [
        "| vit | torch | 1,500 | 1,000 | 1.50× |",
        "| vit | timm | - | - | - |",
    ]
    evaluation = {"error": 0.0712, "on_the_digit": [0.5, 0.75], "pointing": {"cam": 0.9}}
    assert numbers({"evaluation": evaluation}).splitlines()[2:] == [
        "| error | 0.0712 |",
        "| on the digit: 1 | 0.5 |",
        "| on the digit: 2 | 0.75 |",
        "| pointing: cam | 0.9 |",
    ]
