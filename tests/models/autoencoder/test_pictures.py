"""Autoencoders of pictures: sizes of every kind, and what comes back lies between 0 and 1."""

import pytest
import torch
from torch.testing import assert_close

from regard.models import PictureAutoencoder, PictureAutoencoderConfig, build
from regard.models.autoencoder.picture_decoder import PictureDecoder, halved

ENCODERS = {
    "cnn": {"kind": "cnn", "stem": 4, "widths": [6], "blocks": [1], "strides": [2]},
    "vit": {"kind": "vit", "patch_size": 3, "model_dim": 8, "num_heads": 2, "num_layers": 1},
    "cct": {"kind": "cct", "stem": [4], "model_dim": 8, "num_heads": 2, "num_layers": 1},
    "residual-attention": {"kind": "residual-attention", "stem": 4, "widths": [6], "modules": [1]},
}


def made(encoder="cnn", height=7, width=10, **changes):
    torch.manual_seed(0)
    sizes = {"height": height, "width": width}
    config = PictureAutoencoderConfig(
        encoder=ENCODERS[encoder], latent=5, widths=(6, 4), **sizes, **changes
    )
    return PictureAutoencoder(config).eval().requires_grad_(False)


def pixels(count=2, height=7, width=10):
    drawn = torch.Generator().manual_seed(1)
    return torch.randint(256, (count, 3, height, width), dtype=torch.uint8, generator=drawn)


@pytest.mark.parametrize("pooling", ["flatten", "encoder"])
@pytest.mark.parametrize("encoder", ENCODERS)
def test_every_encoder_makes_one_vector_of_a_picture(encoder, pooling):
    model = made(encoder, pooling=pooling)
    latent = model.encode(pixels())
    assert latent.shape == (2, 5)
    colours = model(pixels())
    assert colours.shape == (2, 3, 7, 10)
    assert float(colours.min()) >= 0 and float(colours.max()) <= 1
    assert_close(model.decode(latent), colours)
    assert_close(model.encode(pixels()[1:])[0], latent[1], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(("height", "width"), [(1, 1), (3, 2), (8, 8), (13, 28)])
def test_sides_are_met_whatever_they_are(height, width):
    decoder = PictureDecoder(5, height=height, width=width, widths=(6, 4, 3))
    assert decoder(torch.zeros(2, 5)).shape == (2, 3, height, width)


def test_stages_are_halves_rounded_up():
    assert halved(13, 28, 2) == [(4, 7), (7, 14), (13, 28)]
    assert halved(1, 2, 1) == [(1, 1), (1, 2)]


def test_a_place_of_the_picture_is_a_place_of_the_flat_map():
    """Where a mean would know no place, the flattened map does."""
    left, right = pixels(2)
    left[:], right[:] = 0, 0
    left[:, :, 0], right[:, :, 8] = 255, 255
    model = made()
    there, here = model.encode(torch.stack([left, right]))
    assert not torch.allclose(there, here, atol=1e-3)


def test_a_large_picture_goes_through():
    model = build("cnn-autoencoder", height=97, width=130).eval()
    with torch.no_grad():
        assert model(pixels(1, 97, 130)).shape == (1, 3, 97, 130)


@pytest.mark.parametrize("name", ["cnn-autoencoder", "vit-autoencoder", "autoencoder"])
@pytest.mark.parametrize("size", [(8, 8), (28, 28)])
def test_presets_read_and_write(name, size):
    model = build(name, height=size[0], width=size[1]).eval()
    assert model.config.kind == "picture-autoencoder" and model.config.size == size
    assert model(pixels(2, *size)).shape == (2, 3, *size)
