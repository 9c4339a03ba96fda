"""Pixels in memory, and as a model takes them."""

import numpy as np
import pytest
import torch
from PIL import Image

from regard.data.images import normalised, pixels
from regard.data.images.pixels import statistics
from regard.errors import DtypeError, RangeError, ShapeError


def noise(height: int, width: int) -> np.ndarray:
    return np.random.default_rng(5).integers(0, 256, (height, width, 3), dtype=np.uint8)


def test_pixels_are_those_of_the_picture_channel_by_channel():
    drawn = noise(5, 7)
    found = pixels(Image.fromarray(drawn), (5, 7))
    assert found.dtype == torch.uint8
    assert found.tolist() == np.moveaxis(drawn, -1, 0).tolist()


def test_pixels_are_squeezed_to_the_size_that_is_asked_for():
    half = np.zeros((4, 6, 3), dtype=np.uint8)
    half[:, 3:] = 255
    found = pixels(Image.fromarray(half), (8, 2))
    assert found.shape == (3, 8, 2)
    assert found[:, :, 0].max() < 30
    assert found[:, :, 1].min() > 225
    assert pixels(Image.fromarray(half), 3).shape == (3, 3, 3)
    with pytest.raises(RangeError, match="1 or more, got 0 × 3"):
        pixels(Image.fromarray(half), (0, 3))


def test_normalised_takes_away_mean_and_deviation_of_every_channel():
    batch = torch.tensor([0, 51, 255], dtype=torch.uint8).view(1, 3, 1, 1)
    found = normalised(batch, (0.5, 0.2, 0.0), (0.5, 0.1, 2.0))
    torch.testing.assert_close(found.flatten(), torch.tensor([-1.0, 0.0, 0.5]), atol=1e-6, rtol=0)


def test_normalised_keeps_channels_last():
    batch = torch.zeros(2, 3, 5, 7, dtype=torch.uint8).contiguous(memory_format=torch.channels_last)
    found = normalised(batch, (0.5,) * 3, (0.5,) * 3)
    assert found.is_contiguous(memory_format=torch.channels_last)


def test_normalised_refuses_other_numbers_and_channels():
    with pytest.raises(DtypeError, match=r"uint8, got torch\.float32"):
        normalised(torch.zeros(1, 3, 2, 2), (0.5,) * 3, (0.5,) * 3)
    with pytest.raises(ShapeError, match=r"\(B, 2, Y, X\)"):
        normalised(torch.zeros(1, 3, 2, 2, dtype=torch.uint8), (0.5,) * 2, (0.5,) * 2)


def test_statistics_are_mean_and_deviation():
    batch = torch.from_numpy(noise(14, 5)).reshape(2, 7, 5, 3).permute(0, 3, 1, 2)
    mean, std = statistics(batch)
    shares = batch.double() / 255
    torch.testing.assert_close(torch.tensor(mean).double(), shares.mean(dim=(0, 2, 3)))
    wanted = shares.std(dim=(0, 2, 3), correction=0)
    torch.testing.assert_close(torch.tensor(std).double(), wanted)
    assert statistics(torch.zeros(2, 1, 3, 3, dtype=torch.uint8))[1] == (1 / 255,)
