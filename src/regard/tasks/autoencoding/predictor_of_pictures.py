"""Pictures through their latents."""

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar

import torch

from regard.decoding.protocol import device_of, inference
from regard.errors import ShapeError
from regard.models.autoencoder import PictureAutoencoder
from regard.types import Float, Tensor, UInt8

from ..image_classification.predictor import picture_from
from .codec import FrameCodec
from .inference import Back, reconstructed
from .predictor import Reconstructor
from .sample import ReconstructedPicture

if TYPE_CHECKING:
    from PIL.Image import Image

AHEAD = 64
"""Pictures that are read before the first of them is answered."""


class PictureReconstructor(Reconstructor):
    """Takes pictures through their latents.

    >>> predictor("cat.png").reconstruction                # one sample; (3, Y, X)
    >>> latents = predictor.latents(["cat.png", picture])  # (2, Z)
    >>> predictor.drawn(latents.mean(dim=0, keepdim=True)) # (1, 3, Y, X)

    A picture of any size is squeezed to that of training.

    Args:
        model: an autoencoder of pictures.
        codec: the size of pictures, and their colours.
    """

    reads: ClassVar[str] = "pictures"
    """Names that it is given are those of files."""
    model: PictureAutoencoder
    codec: FrameCodec

    def __call__(
        self, pictures: Any, *, looks: bool = False
    ) -> ReconstructedPicture | list[ReconstructedPicture]:
        """The sample of one picture, or a list of those of several."""
        if isinstance(pictures, list | tuple):
            return list(self.predict(pictures, looks=looks))
        return next(self.predict([pictures], looks=looks))

    def predict(
        self, inputs: Iterable[Any], *, looks: bool = False
    ) -> Iterator[ReconstructedPicture]:
        """A sample of every picture, in their order.

        Args:
            inputs: paths, bytes, open files, pictures of Pillow, or uint8 (3, Y, X).
            looks: whether to keep the latent.

        Raises:
            InputError: one that cannot be read.
        """
        stream = iter(inputs)
        while some := list(islice(stream, AHEAD)):
            batch = self._squeezed([picture_from(one) for one in some])
            for content, seen, back in zip(
                some, batch, reconstructed(self.model, batch), strict=True
            ):
                yield _sample(content, seen, back, looks)

    def latents(self, pictures: Iterable[Any]) -> Float[Tensor, "N Z"]:
        """One vector for each picture."""
        found = [sample.latent for sample in self.predict(pictures, looks=True)]
        known = [one for one in found if one is not None]
        return torch.stack(known) if known else torch.zeros(0, self.model.config.latent)

    def drawn(self, latents: Tensor) -> UInt8[Tensor, "N 3 Y X"]:
        """The picture of each latent, (N, Z), wherever it comes from.

        Raises:
            ShapeError: vectors of another width.
        """
        width = self.model.config.latent
        if latents.dim() != 2 or latents.shape[1] != width:
            raise ShapeError(f"drawn needs latents (N, {width}), got {tuple(latents.shape)}")
        with inference(self.model):
            colours = self.model.decode(latents.to(device_of(self.model))).float()
        return (colours * 255).round().to(torch.uint8).cpu().clone()

    def _squeezed(self, pictures: "list[Image]") -> UInt8[Tensor, "N 3 Y X"]:
        from regard.data.images import pixels

        return torch.stack([pixels(one, self.codec.size) for one in pictures])

    def about_codec(self) -> dict[str, str]:
        """What it reads and writes, and how narrow the way is."""
        return {
            "pictures": f"{self.codec.height} × {self.codec.width}",
            "latent": f"{self.model.config.latent} numbers",
        }


def _sample(content: Any, seen: Tensor, back: Back, looks: bool) -> ReconstructedPicture:
    name = os.fspath(content) if isinstance(content, str | os.PathLike) else ""
    return ReconstructedPicture(
        name, seen.contiguous(), back.pixels, back.error, back.latent if looks else None
    )


PREDICTOR = PictureReconstructor
