"""Pictures as tensors: eight bits in memory, floats in models."""

from typing import TYPE_CHECKING

import numpy as np
import torch

from regard.errors import RangeError
from regard.models.vision.normalisation import normalised as normalised
from regard.types import Tensor, UInt8

if TYPE_CHECKING:
    from PIL.Image import Image


def pixels(picture: "Image", size: tuple[int, int] | int) -> UInt8[Tensor, "3 Y X"]:
    """A picture at one size, whatever its proportions: uint8.

    It is squeezed, not cut: a model sees all of it, and what it looked at can be drawn over the
    picture at its true proportions. Made smaller, every pixel takes the mean of what it stands for.

    Args:
        picture: in RGB.
        size: height and width, or the side of a square.

    Raises:
        RangeError: a size below 1.
    """
    from PIL import Image

    height, width = (size, size) if isinstance(size, int) else size
    if height < 1 or width < 1:
        raise RangeError(f"pixels need a height and a width of 1 or more, got {height} × {width}")
    if picture.mode != "RGB":
        picture = picture.convert("RGB")
    if picture.size != (width, height):
        picture = picture.resize((width, height), Image.Resampling.BICUBIC)
    return torch.from_numpy(np.array(picture)).permute(2, 0, 1)  # (3, Y, X), channels last


def statistics(batch: UInt8[Tensor, "B C Y X"]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Mean and standard deviation of every channel, of numbers from 0 to 1.

    Counted in whole numbers, so no picture is held as floats; a channel of one colour has 1/255.
    """
    mean, std = [], []
    for channel in range(batch.shape[1]):
        counts = torch.bincount(batch[:, channel].flatten().long(), minlength=256).double()
        levels = torch.arange(256, dtype=torch.float64) / 255
        total = counts.sum().clamp(min=1)
        centre = (counts * levels).sum() / total
        mean.append(float(centre))
        std.append(max(1 / 255, float(((counts * (levels - centre) ** 2).sum() / total).sqrt())))
    return tuple(mean), tuple(std)
