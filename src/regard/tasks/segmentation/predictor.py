"""A segmenter with its codec, ready to tell the pixels of pictures of any size apart."""

from collections.abc import Iterable, Iterator

import torch

from regard.decoding.protocol import device_of, inference
from regard.types import Float, Tensor, UInt8

from ..regions.looking import Looks, looking
from ..regions.predictor import RegionPredictor
from ..regions.reading import Source, groups
from .sample import SegmentedPicture


class Segmenter(RegionPredictor):
    """Finds the class of every pixel.

    >>> segmenter("cat.jpg").shares["animal"]             # one sample
    >>> segmenter(["cat.jpg", "dog.jpg"])                 # a list of them

    Args:
        model: a segmenter.
        codec: labels and frame.
    """

    def predict(
        self, inputs: Iterable[Source], *, looks: bool = False
    ) -> Iterator[SegmentedPicture]:
        """A sample of every picture, in their order; masks of the size of the picture as given."""
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


PREDICTOR = Segmenter
