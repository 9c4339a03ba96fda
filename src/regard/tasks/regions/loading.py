"""One picture with its regions, fitted into the frame."""

from typing import TYPE_CHECKING

import torch

from regard.data.images import PictureStore
from regard.data.regions import Letterbox, RegionCodec, RegionExample, letterbox
from regard.data.regions.augmentation import IGNORED
from regard.data.regions.masks import MaskStore
from regard.data.regions.raster import classes_of
from regard.errors import InputError
from regard.types import Int, Tensor, UInt8

from .batch import Loaded

if TYPE_CHECKING:
    from PIL.Image import Image


def load(
    example: RegionExample,
    *,
    codec: RegionCodec,
    store: PictureStore,
    masks: MaskStore | None,
    masked: bool,
) -> Loaded:
    """A picture, its boxes and its mask, in the frame of a codec.

    A label that was not learned has the number behind the last one.

    Args:
        example: which picture, and what is in it.
        codec: labels and frame.
        store: where the picture is.
        masks: where its mask is; its outlines without.
        masked: whether a mask is wanted.

    Raises:
        InputError: no such picture, or a mask that does not fit.
    """
    picture = store[example.name]
    box = letterbox(picture.size, (codec.width, codec.height))
    boxes, labels = _boxes(example, codec, box)
    mask = None
    if masked:
        found = (
            _outlined(example, codec, picture)
            if masks is None
            else _numbered(masks.mask(example.name), codec, example.place)
        )
        mask = box.framed_mask(found, IGNORED)
    return Loaded(box.framed(picture), boxes, labels, mask)


def _boxes(
    example: RegionExample, codec: RegionCodec, box: Letterbox
) -> tuple[Tensor, Int[Tensor, " n"]]:
    shares = torch.tensor([one.edges for one in example.regions]).reshape(-1, 4)
    numbers = {label: number for number, label in enumerate(codec.labels)}
    labels = [numbers.get(one.label, len(numbers)) for one in example.regions]
    return box.framed_boxes(shares), torch.tensor(labels, dtype=torch.long)


def _outlined(example: RegionExample, codec: RegionCodec, picture: "Image") -> UInt8[Tensor, "Y X"]:
    """Outlines as classes, 0 being the background."""
    numbers = {label: number for number, label in enumerate(codec.labels)}
    without = [one.label for one in example.regions if one.outline is None]
    if without:
        raise InputError(
            f"{example.place}: {without[0]!r} has a box and no outline; segmentation needs "
            "outlines, or masks by --masks"
        )
    outlines = [
        (numbers.get(one.label, IGNORED), one.outline)
        for one in example.regions
        if one.outline is not None
    ]
    return classes_of(outlines, picture.height, picture.width)


def _numbered(mask: UInt8[Tensor, "Y X"], codec: RegionCodec, place: str) -> UInt8[Tensor, "Y X"]:
    """The numbers of a file as those of labels; others do not count."""
    table = torch.full((256,), IGNORED, dtype=torch.uint8)
    for number, value in enumerate(codec.values):
        table[value] = number
    return table[mask.long()]
