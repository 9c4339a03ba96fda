"""Encoders of pictures behind one contract."""

import pytest
import torch
from torch.testing import assert_close

from regard.errors import ShapeError
from regard.lens import capture
from regard.models.vision import (
    CCTConfig,
    CNNConfig,
    ResidualAttentionConfig,
    ViTConfig,
    build_encoder,
    normalised,
)

COLOURS = {"mean": (0.2, 0.4, 0.6), "std": (0.5, 0.3, 0.1)}
SIZE = {"height": 8, "width": 12, **COLOURS}
SMALL = {"model_dim": 8, "num_layers": 2, "num_heads": 2, "hidden_dim": 12}
CONFIGS = {
    "cnn": CNNConfig(stem=3, widths=(5, 7), blocks=(1, 2), strides=(1, 2), **SIZE),
    "residual-attention": ResidualAttentionConfig(
        stem=4, widths=(8, 12), modules=(1, 1), last_units=1, **SIZE
    ),
    "vit": ViTConfig(patch_size=(2, 3), registers=3, **SMALL, **SIZE),
    "vit attention": ViTConfig(pooling="attention", position="rotary", **SMALL, **SIZE),
    "vit mean": ViTConfig(pooling="mean", position="sinusoidal", **SMALL, **SIZE),
    "cct": CCTConfig(stem=(5,), **SMALL, **SIZE),
}
GRIDS = {
    "cnn": (7, 4, 6),
    "residual-attention": (12, 4, 6),
    "vit": (8, 4, 4),
    "vit attention": (8, 2, 3),
    "vit mean": (8, 2, 3),
    "cct": (8, 2, 3),
}


def pictures(count=3, height=8, width=12):
    generator = torch.Generator().manual_seed(1)
    shape = (count, 3, height, width)
    return torch.randint(256, shape, dtype=torch.uint8, generator=generator)


@pytest.fixture(params=list(CONFIGS))
def name(request):
    return request.param


@pytest.fixture
def encoder(name):
    torch.manual_seed(0)
    made = build_encoder(CONFIGS[name])
    made.train()
    for _ in range(20):  # running statistics that are those of such pictures
        made(pictures(7))
    return made.eval()


def test_a_map_and_a_vector_have_the_width_that_is_said(encoder, name):
    channels, rows, columns = GRIDS[name]
    assert encoder.output_dim == channels
    assert encoder(pictures()).shape == (3, channels, rows, columns)
    assert encoder.pooled(pictures()).shape == (3, channels)


def test_bytes_are_normalised_by_the_config_and_floats_are_not(encoder):
    ready = normalised(pictures(), COLOURS["mean"], COLOURS["std"])
    assert_close(encoder(pictures()), encoder(ready))
    by_hand = (pictures().double() / 255 - torch.tensor(COLOURS["mean"]).view(3, 1, 1)) / (
        torch.tensor(COLOURS["std"]).view(3, 1, 1)
    )
    assert_close(ready, by_hand.float(), atol=1e-5, rtol=1e-5)


def test_a_picture_alone_is_as_in_a_batch(encoder):
    together = encoder.pooled(pictures())
    alone = torch.cat([encoder.pooled(one) for one in pictures().split(1)])
    assert_close(together, alone, atol=1e-5, rtol=1e-4)


def test_pictures_of_other_sizes_are_taken(encoder, name):
    found = encoder(pictures(2, 16, 18))
    assert found.shape[:2] == (2, GRIDS[name][0])
    assert found.isfinite().all()


def test_other_forms_are_refused(encoder):
    for wrong in (torch.zeros(3, 8, 12), torch.zeros(2, 1, 8, 12)):
        with pytest.raises(ShapeError, match=r"needs pictures \(B, 3, Y, X\)"):
            encoder(wrong)


def test_everything_learns(encoder):
    encoder.train()
    (encoder(pictures()).square().mean() + encoder.pooled(pictures()).square().mean()).backward()
    own = [(n, one.grad) for n, one in encoder.named_parameters() if one.numel()]
    without = [n for n, gradient in own if gradient is None or not gradient.any()]
    # keys of attention that sum to a constant, and biases before a norm, have gradients of nothing
    assert [n for n in without if not n.endswith("bias")] == []


def test_what_looks_can_be_captured(name):
    encoder = build_encoder(CONFIGS[name]).eval()
    if name == "cnn":
        pytest.skip("it does not look")
    with capture(encoder) as record:
        encoder.pooled(pictures())
    if name == "residual-attention":
        assert set(record) == {"stages.0.1", "stages.1.1"}
    else:
        assert {"layers.0.attention", "layers.1.attention"} <= set(record)
    if name == "cct":
        assert_close(record["pooling"].weights.sum(dim=-1), torch.ones(3, 1))
