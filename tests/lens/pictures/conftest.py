import numpy as np
import pytest
import torch

from regard.lens.pictures import Box, Panel, PictureView


@pytest.fixture
def pixels():
    """Twice as wide as high: black, the right half white."""
    found = np.zeros((10, 20, 3), dtype=np.uint8)
    found[:, 10:] = 255
    return found


@pytest.fixture
def view(pixels):
    heat = torch.tensor([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    mask = torch.tensor([[True, False]])
    return PictureView(
        pixels,
        [
            Panel("<heat>", heat=heat),
            Panel(
                "boxes",
                boxes=[Box(0.1, 0.2, 0.5, 0.9, "cat", 0.75), Box(0.6, 0.0, 1.0, 1.0, "dog")],
            ),
            Panel("path", path=[(0.1, 0.1), (0.9, 0.8)]),
            Panel("mask", mask=mask),
            Panel("bars", bars=torch.tensor([0.1, 0.5, 1.0])),
        ],
        title="a <cat> & a dog",
        model="m",
    )
