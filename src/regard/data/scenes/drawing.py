"""Scenes as pixels, with smooth edges, and which pixels belong to what."""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regard.extras import need

from ..chance import uniform
from .things import SceneConfig, Thing, outline
from .words import DIGITS

if TYPE_CHECKING:
    from PIL.Image import Image

FINER = 4
"""Rows of points in a pixel: how much of it a thing covers is counted on them."""
HOLE = 0.58
"""Radius of a ring's hole, as a share of the ring's."""
Pixels = NDArray[np.uint8]
Coverage = NDArray[np.float32]
Whole = NDArray[np.bool_]


def coverage(thing: Thing, size: int) -> Coverage:
    """How much of each pixel a thing covers, from 0 to 1."""
    from PIL import Image, ImageDraw

    fine = FINER * size
    canvas = Image.new("L", (fine, fine))
    pen = ImageDraw.Draw(canvas)
    centre, radius = (thing.x * fine, thing.y * fine), thing.radius * fine
    if thing.is_digit:
        _write(canvas, thing, centre, radius)
    elif corners := outline(thing):
        pen.polygon([(centre[0] + radius * x, centre[1] + radius * y) for x, y in corners], 255)
    else:
        pen.circle(centre, radius, 255)
        if thing.kind == "ring":
            pen.circle(centre, HOLE * radius, 0)
    shares: NDArray[np.float32] = np.asarray(canvas.reduce(FINER), dtype=np.float32)
    return shares / np.float32(255)


def _write(canvas: "Image", thing: Thing, centre: tuple[float, float], radius: float) -> None:
    """A digit of Pillow's own font, as high as twice the radius."""
    from PIL.Image import Resampling

    glyph = _glyph(DIGITS.index(thing.kind))
    height = max(1, round(2 * radius))
    width = max(1, round(height * glyph.width / glyph.height))
    scaled = glyph.resize((width, height), Resampling.BILINEAR)
    canvas.paste(scaled, (round(centre[0] - width / 2), round(centre[1] - height / 2)))


@lru_cache(maxsize=len(DIGITS))
def _glyph(digit: int) -> "Image":
    """A digit, large, with nothing around it, its strokes made stronger to be seen when small."""
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.load_default(160)
    canvas = Image.new("L", (240, 240))
    pen = ImageDraw.Draw(canvas)
    pen.text((60, 20), str(digit), fill=255, font=font, stroke_width=5, stroke_fill=255)
    box = canvas.getbbox()
    assert box is not None
    return canvas.crop(box)


def background(chance: Sequence[int], config: SceneConfig) -> NDArray[np.float32]:
    """Grey with a shade of a colour, a slope of light, and a little noise: (size, size, 3)."""
    size = config.size
    level, slope_x, slope_y, *shade = uniform(*chance, np.arange(6))
    grid = np.linspace(-0.5, 0.5, size)
    light = (
        105 + 60 * level + 40 * ((slope_x - 0.5) * grid[None, :] + (slope_y - 0.5) * grid[:, None])
    )
    noise = uniform(*chance, 6 + np.arange(size * size * 3)).reshape(size, size, 3)
    found = light[..., None] + 16 * (np.array(shade) - 0.5) + config.noise * (2 * noise - 1)
    return found.astype(np.float32)


def draw(
    things: Sequence[Thing], chance: Sequence[int], config: SceneConfig
) -> "tuple[Image, Whole]":
    """A picture, and which pixels are at least half covered by each thing: (N, size, size).

    Raises:
        MissingExtraError: Pillow is not installed.
    """
    pillow = need("PIL.Image", "drawing scenes")
    found = background(chance, config)
    covered = np.stack([coverage(thing, config.size) for thing in things])
    for thing, share in zip(things, covered, strict=True):
        tint: Any = np.array(thing.tint, dtype=np.float32)
        found += share[..., None] * (tint - found)
    pixels = np.clip(np.rint(found), 0, 255).astype(np.uint8)
    return pillow.fromarray(pixels), covered >= 0.5


def bounds(mask: Whole) -> tuple[float, float, float, float]:
    """Left, top, right and bottom edge of the pixels of a mask."""
    columns, rows = np.flatnonzero(mask.any(axis=0)), np.flatnonzero(mask.any(axis=1))
    return float(columns[0]), float(rows[0]), float(columns[-1] + 1), float(rows[-1] + 1)
