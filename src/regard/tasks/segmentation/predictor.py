"""A segmenter with its codec, ready to tell the pixels of pictures of any size apart."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from regard.data.regions import RegionCodec
from regard.data.regions.codec import codec_from
from regard.decoding.protocol import device_of, inference
from regard.types import Float, Tensor, UInt8

from ..described import Described
from ..regions.looking import Looks, looking
from ..regions.reading import Source, groups
from .sample import SegmentedPicture


class Segmenter(Described):
    """Finds the class of every pixel.

    >>> segmenter("cat.jpg").shares["animal"]             # one sample
    >>> segmenter(["cat.jpg", "dog.jpg"])                 # a list of them

    Args:
        model: a segmenter.
        codec: labels and frame.
    """

    def __init__(self, model: Any, codec: RegionCodec) -> None:
        self.model, self.codec = model, codec

    @staticmethod
    def codec_from(files: Mapping[str, bytes], folder: Path) -> RegionCodec:
        """What a checkpoint keeps.

        Raises:
            InputError: it is missing or damaged.
        """
        return codec_from(files, folder)

    def __call__(self, pictures: Any, *, looks: bool = False) -> Any:
        """The sample of one picture, or a list of those of several."""
        if isinstance(pictures, list | tuple):
            return list(self.predict(pictures, looks=looks))
        return next(self.predict([pictures], looks=looks))

    def predict(
        self, inputs: Iterable[Source], *, looks: bool = False
    ) -> Iterator[SegmentedPicture]:
        """A sample of every picture, in their order; masks of the size of the picture as given.

        Args:
            inputs: paths, bytes, open files or pictures of Pillow.
            looks: whether to keep where the model looked.
        """
        for some in groups(inputs, (self.codec.width, self.codec.height)):
            logits, seen = self.logits(torch.stack([one.pixels for one in some]), looks=looks)
            for row, one in enumerate(some):
                mask = one.box.unframed(logits[row]).argmax(dim=0).to(torch.uint8)
                maps = {
                    name: one.box.unframed(heat[row][None])[0].clamp(min=0)
                    for name, heat in seen.items()
                }
                yield SegmentedPicture(
                    one.name, one.picture, self.codec.labels, mask, self.codec.values, maps
                )

    def logits(
        self, pixels: UInt8[Tensor, "B 3 Y X"], *, looks: bool = False
    ) -> tuple[Float[Tensor, "B C Y X"], Looks]:
        """Logits of every class at every pixel of frames, and where the model looked."""
        with inference(self.model), looking(self.model, looks) as seen:
            found = self.model(pixels.to(device_of(self.model))).float().cpu()
        return found, seen

    def about_codec(self) -> dict[str, str]:
        """What it reads and writes."""
        return {
            "labels": ", ".join(self.codec.labels),
            "frame": f"{self.codec.width} × {self.codec.height}",
        }


PREDICTOR = Segmenter
