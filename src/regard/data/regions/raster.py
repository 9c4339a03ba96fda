"""Outlines as pixels."""

from collections.abc import Sequence

import numpy as np
import torch
from torch.nn.functional import interpolate

from regard.extras import need
from regard.types import Bool, Tensor, UInt8

from .example import Outline, Polygon
from .rle import RunLengths

FINER = 4
"""Rows of points in a pixel: one belongs to a polygon if at least half of them do."""


def pixels_of(outline: Outline, height: int, width: int) -> Bool[Tensor, "Y X"]:
    """Which pixels of a picture of this size lie within.

    Args:
        outline: polygons in shares of the picture, or run lengths of any size.
        height: rows.
        width: columns.
    """
    if isinstance(outline, RunLengths):
        mask = outline.mask()
        return mask if mask.shape == (height, width) else resized(mask, height, width).bool()
    found = torch.zeros(height, width, dtype=torch.bool)
    for polygon in outline:
        found |= _filled(polygon, height, width)
    return found


def resized(
    mask: Bool[Tensor, "Y X"] | UInt8[Tensor, "Y X"], height: int, width: int
) -> UInt8[Tensor, "y x"]:
    """A mask at another size: every pixel takes the class of the nearest."""
    wide = mask[None, None].to(torch.uint8)
    return interpolate(wide, size=(height, width), mode="nearest-exact")[0, 0]


def classes_of(
    outlines: Sequence[tuple[int, Outline]], height: int, width: int
) -> UInt8[Tensor, "Y X"]:
    """A class for every pixel: that of the last outline over it, and 0 where there is none.

    Args:
        outlines: each with its class, counted from 1.
        height: rows.
        width: columns.
    """
    found = torch.zeros(height, width, dtype=torch.uint8)
    for number, outline in outlines:
        found[pixels_of(outline, height, width)] = number
    return found


def _filled(polygon: Polygon, height: int, width: int) -> Bool[Tensor, "Y X"]:
    drawing = need("PIL.ImageDraw", "drawing polygons")
    image = need("PIL.Image", "drawing polygons")
    canvas = image.new("L", (width * FINER, height * FINER))
    corners = [(x * width * FINER - 0.5, y * height * FINER - 0.5) for x, y in polygon]
    drawing.Draw(canvas).polygon(corners, fill=255)
    covered = np.asarray(canvas.reduce(FINER))
    return torch.from_numpy(covered >= 128)
