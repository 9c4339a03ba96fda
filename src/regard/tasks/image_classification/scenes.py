"""Pictures as scenes: what a classifier of pictures sees."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import torch

from regard.data.images import pixels as as_pixels
from regard.lens.scene import Ids, Scene
from regard.types import Tensor

from ..seeing.scenes import AT_ONCE, pictures_of, places, shown
from .predictor import PictureLabeller

if TYPE_CHECKING:
    from PIL.Image import Image


def scenes(predictor: PictureLabeller, files: Iterable[str] | None) -> list[Scene]:
    """Pictures, one label each; drawn ones if there are no files."""
    read = pictures_of(files)
    groups = (read[at : at + AT_ONCE] for at in range(0, len(read), AT_ONCE))
    return [_scene(predictor, group) for group in groups]


def _scene(predictor: PictureLabeller, pictures: "Sequence[Image]") -> Scene:
    model = predictor.model
    pixels = torch.stack([as_pixels(one, predictor.codec.size) for one in pictures])
    known = places(len(pixels), *_grid(model))

    def forward(ids: Ids) -> Tensor:
        seen = pixels[shown(ids["input"], known)].to(next(model.parameters()).device)
        found: Tensor = model(seen)
        return found.unsqueeze(1)

    return Scene({"input": known}, forward)


def _grid(model: Any) -> tuple[int, int]:
    """Rows and columns of patches; of a network without patches one place."""
    config = getattr(getattr(model, "encoder", None), "config", None)
    found: tuple[int, int] = getattr(config, "grid", (1, 1))
    return found
