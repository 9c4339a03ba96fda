"""From whatever shows a picture to what a model reads: paths, bytes, pictures of Pillow, scenes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from regard.data.images import pixels, read_picture
from regard.data.scenes import Scene
from regard.errors import InputError
from regard.models.vision.pretrained import SIDE
from regard.types import Tensor

if TYPE_CHECKING:
    from PIL.Image import Image

    from regard.models.vision import AnyGrid

    from .maps import Maker


class Opened(NamedTuple):
    """A picture that was read."""

    name: str
    """Of its file; empty if there is none."""
    image: "Image"
    """In RGB."""
    size: tuple[int, int]
    """Its true width and height, to be drawn in."""


def opened(source: Any, size: tuple[int, int] | None = None) -> Opened:
    """A picture of a path, bytes, an open file, Pillow, pixels uint8 (3, Y, X), or a scene.

    Args:
        source: what shows it.
        size: its true width and height, where it was squeezed.

    Raises:
        InputError: it cannot be read.
    """
    name = ""
    if isinstance(source, Scene):
        image = source.picture
    elif isinstance(source, Tensor):
        image = _of_pixels(source)
    elif hasattr(source, "convert"):
        image = source if source.mode == "RGB" else source.convert("RGB")
    else:
        image = read_picture(source)
        name = str(source) if isinstance(source, str) or hasattr(source, "__fspath__") else ""
    return Opened(name, image, size or image.size)


def _of_pixels(found: Tensor) -> "Image":
    from PIL import Image

    if found.dtype != torch.uint8 or found.dim() != 3 or found.shape[0] != 3:
        raise InputError(
            f"a picture as a tensor needs to be uint8 (3, Y, X), got {found.dtype} "
            f"{tuple(found.shape)}"
        )
    return Image.fromarray(found.permute(1, 2, 0).contiguous().numpy())


class Eyes:
    """Makes of pictures what a model with some grid reads.

    Args:
        grid: of the model's config.
    """

    def __init__(self, grid: "AnyGrid") -> None:
        self._grid = grid
        self._maker: Maker | None = None

    def __call__(self, pictures: "Sequence[Image]") -> Tensor:
        """Pixels, or maps of the network that the model was trained on; one row each.

        Raises:
            MissingExtraError: the network is not installed.
        """
        grid = self._grid
        if grid.kind != "stored":
            return torch.stack([pixels(picture, grid.size) for picture in pictures])
        if self._maker is None:
            from .maps import Maker, usual_folder

            self._maker = Maker(grid.network, usual_folder())
        return self._maker.maps(torch.stack([pixels(picture, SIDE) for picture in pictures]))
