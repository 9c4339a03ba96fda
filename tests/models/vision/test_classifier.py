"""The classifier around encoders, and its presets."""

import pytest
import torch

from regard.models import build, preset_config
from regard.models.vision import PictureClassifierConfig
from regard.models.vision.classifier_presets import PRESETS

EQUAL = ("cnn", "cnn-se", "cnn-cbam", "cnn-non-local", "residual-attention", "vit", "cct")


def test_sizes_of_pictures_are_those_of_the_encoder():
    config = preset_config(
        "vit", labels=3, height=16, width=24, mean=(0.1, 0.2, 0.3), std=(0.4, 0.5, 0.6)
    )
    assert (config.encoder.height, config.encoder.width) == (16, 24)
    assert config.encoder.std == (0.4, 0.5, 0.6)
    changed = PictureClassifierConfig.model_validate(config.model_dump() | {"height": 40})
    assert changed.encoder.height == 40
    assert changed.encoder.kind == "vit"


@pytest.mark.parametrize("name", EQUAL)
def test_models_that_are_compared_have_about_0_3_million_parameters(name):
    count = sum(one.numel() for one in build(name, labels=10).parameters())
    assert 0.24e6 < count < 0.34e6


@pytest.mark.parametrize("name", [n for n in PRESETS if not n.startswith("attention-")])
def test_every_preset_tells_labels(name):
    model = build(name, labels=5).eval()
    assert model(torch.randint(256, (2, 3, 32, 32), dtype=torch.uint8)).shape == (2, 5)


def test_attention_92_has_six_modules():
    config = preset_config("attention-92", labels=10)
    assert config.encoder.modules == (1, 2, 3)
