"""What lies over a picture, painted into its pixels: heat, mask, boxes, path."""

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from regard.extras import need

from .view import Numbers, Panel, PictureView, Pixels

if TYPE_CHECKING:
    from PIL.Image import Image

HEAT = ((252, 251, 248), (236, 178, 60), (196, 63, 40), (96, 12, 30))
"""Colours of heat from nothing to the largest weight: paper, gold, clay, deep red."""
MOST = 0.8
"""How much of the strongest colour of heat covers the picture."""
FADED = 0.45
"""How much of its own colours a picture keeps where there is no heat at all."""
MASK = (31, 122, 131)
COVERED = 0.5
MARKS = ((196, 87, 47), (63, 116, 168), (79, 125, 58), (185, 133, 21), (124, 77, 121))
"""Colours of boxes, one for each label in turn."""
FEW = 8
"""How many boxes are a few: the words of more are smaller."""
RIGHT = 0.8
"""The share of the picture from which on words of a box end where it ends."""
PATH = (31, 122, 131)


def need_pillow(what: str) -> None:
    """Before long work that ends in a picture: can it be drawn here?

    Raises:
        MissingExtraError: Pillow is not installed.
    """
    need("PIL", what)


def resized(pixels: Pixels, size: tuple[int, int]) -> Pixels:
    """Pixels at (width, height): smooth, but those of a tiny picture stay squares."""
    need_pillow("drawing a picture")
    from PIL import Image

    larger = size[0] > pixels.shape[1] and size[1] > pixels.shape[0]
    how = Image.Resampling.NEAREST if larger else Image.Resampling.LANCZOS
    return np.asarray(Image.fromarray(pixels).resize(size, how))


def spread(grid: Numbers, size: tuple[int, int]) -> Numbers:
    """A grid over the whole picture at (width, height), straight lines between its middles."""
    from PIL import Image

    small = Image.fromarray(grid.astype(np.float32))
    return np.asarray(small.resize(size, Image.Resampling.BILINEAR), dtype=np.float64)


def shade(share: Numbers) -> Numbers:
    """Colours of heat, (…, 3), for shares of the largest weight."""
    stops = np.linspace(0, 1, len(HEAT))
    table = np.asarray(HEAT, dtype=np.float64)
    return np.stack([np.interp(share, stops, table[:, channel]) for channel in range(3)], axis=-1)


def heated(pixels: Pixels, share: Numbers) -> Pixels:
    """Pixels under heat: grey where there is none, the colour of heat where there is most.

    Args:
        pixels: (Y, X, 3).
        share: (Y, X), of the largest weight.
    """
    grey = pixels @ np.asarray([0.299, 0.587, 0.114])
    faded = FADED * pixels + (1 - FADED) * grey[..., None]
    cover = (MOST * np.clip(share, 0, 1))[..., None]
    return ((1 - cover) * faded + cover * shade(share)).round().astype(np.uint8)


def masked(pixels: Pixels, mask: Numbers) -> Pixels:
    """Pixels with the colour of a mask where it is 1."""
    cover = (COVERED * (mask > 0.5))[..., None]
    return ((1 - cover) * pixels + cover * np.asarray(MASK)).round().astype(np.uint8)


def painted(view: PictureView, panel: Panel, size: tuple[int, int]) -> Pixels:
    """A panel without its boxes and its path, at (width, height)."""
    pixels = resized(view.pixels, size)
    if panel.heat is not None:
        pixels = heated(pixels, spread(panel.heat.numpy() / panel.largest, size))
    if panel.mask is not None:
        pixels = masked(pixels, resized_mask(panel.mask.numpy(), size))
    return pixels


def resized_mask(mask: Any, size: tuple[int, int]) -> Numbers:
    """A mask at (width, height), its places as squares."""
    from PIL import Image

    found = Image.fromarray(mask.astype(np.uint8)).resize(size, Image.Resampling.NEAREST)
    return np.asarray(found, dtype=np.float64)


def drawn(view: PictureView, panel: Panel, size: tuple[int, int]) -> Pixels:
    """A panel with all that it has, at (width, height)."""
    need_pillow("drawing a picture")
    from PIL import Image

    if panel.bars is not None:
        return barred(panel, size)
    found = Image.fromarray(painted(view, panel, size))
    _mark(found, panel)
    return np.asarray(found)


def _mark(image: "Image", panel: Panel) -> None:
    from PIL import ImageDraw

    pen, (width, height) = ImageDraw.Draw(image), image.size
    thick = max(1, min(width, height) // 100)
    for box, colour in zip(panel.boxes, colours(panel), strict=True):
        (left, right), (top, bottom) = sorted((box[0], box[2])), sorted((box[1], box[3]))
        corners = (left * (width - 1), top * (height - 1), right * (width - 1))
        pen.rectangle((*corners, bottom * (height - 1)), outline=colour, width=thick)
    steps = [(x * (width - 1), y * (height - 1)) for x, y in panel.path]
    if len(steps) > 1:
        pen.line(steps, fill=PATH, width=thick)
    for x, y in steps:
        pen.ellipse((x - 2 * thick, y - 2 * thick, x + 2 * thick, y + 2 * thick), fill=PATH)


def colours(panel: Panel) -> list[tuple[int, int, int]]:
    """A colour for every box, the same for the same label."""
    labels = list(dict.fromkeys(box.label for box in panel.boxes))
    return [MARKS[labels.index(box.label) % len(MARKS)] for box in panel.boxes]


def barred(panel: Panel, size: tuple[int, int]) -> Pixels:
    """Bars from below, at (width, height); more of them than pixels take the mean of neighbours."""
    assert panel.bars is not None
    width, height = size
    shares = panel.bars.numpy() / max(1.0, panel.largest)
    edges = np.linspace(0, len(shares), width + 1)
    columns = [
        shares[int(low) : max(int(low) + 1, int(high))].mean()
        for low, high in itertools.pairwise(edges)
    ]
    filled = np.arange(height)[::-1, None] < np.asarray(columns)[None] * height
    return np.where(filled[..., None], MASK, HEAT[0]).astype(np.uint8)
