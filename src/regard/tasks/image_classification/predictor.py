"""A classifier of pictures with its codec, ready to be used; nothing of training."""

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar

import torch

from regard.errors import ShapeError
from regard.types import Tensor

from ..described import Described
from .codec import PictureCodec, codec_from
from .inference import Answer, answers
from .sample import ClassifiedPicture

if TYPE_CHECKING:
    from PIL.Image import Image

AHEAD = 64
"""Pictures that are read before the first of them is answered."""


class PictureLabeller(Described):
    """Finds the label of a picture.

    >>> predictor("cat.jpg").label                    # one sample
    >>> predictor(["cat.jpg", picture])               # a list of them

    A picture of any size is squeezed to that of training.

    Args:
        model: a classifier of pictures.
        codec: labels, and the size of pictures.
        mirror: whether an answer is the mean of those to a picture and to its mirror image.
    """

    reads: ClassVar[str] = "pictures"
    """Names that it is given are those of files."""

    def __init__(self, model: Any, codec: PictureCodec, *, mirror: bool = False) -> None:
        self.model, self.codec, self.mirror = model, codec, mirror

    codec_from = staticmethod(codec_from)

    def in_use(self, settings: Mapping[str, Any]) -> "PictureLabeller":
        """The same as a task's settings have it."""
        return PictureLabeller(self.model, self.codec, mirror=bool(settings.get("mirror", False)))

    def __call__(
        self, pictures: Any, *, looks: bool = False
    ) -> ClassifiedPicture | list[ClassifiedPicture]:
        """The sample of one picture, or a list of those of several."""
        if isinstance(pictures, list | tuple):
            return list(self.predict(pictures, looks=looks))
        return next(self.predict([pictures], looks=looks))

    def predict(self, inputs: Iterable[Any], *, looks: bool = False) -> Iterator[ClassifiedPicture]:
        """A sample of every picture, in their order.

        Args:
            inputs: paths, bytes, open files, pictures of Pillow, or uint8 (3, Y, X).
            looks: whether to keep where the model looked.

        Raises:
            InputError: one that cannot be read.
        """
        from regard.data.images import pixels

        stream = iter(inputs)
        while some := list(islice(stream, AHEAD)):
            read = [picture_from(one) for one in some]
            batch = torch.stack([pixels(one, self.codec.size) for one in read])
            found = answers(self.model, batch, looks=looks, mirror=self.mirror)
            for content, picture, answer in zip(some, read, found, strict=True):
                yield self._sample(_name(content), picture, answer)

    def _sample(self, name: str, picture: "Image", answer: Answer) -> ClassifiedPicture:
        shares = answer.log_probs.exp().tolist()
        ranked = sorted(zip(shares, self.codec.labels, strict=True), key=lambda one: -one[0])
        return ClassifiedPicture(
            name, ranked[0][1], {label: p for p, label in ranked}, picture, answer.panels
        )

    def about_codec(self) -> dict[str, str]:
        """What it reads and writes."""
        return {
            "pictures": f"{self.codec.height} × {self.codec.width}",
            "labels": f"{len(self.codec.labels)}",
        }

    @property
    def model_name(self) -> str:
        """That of its encoder."""
        return str(getattr(self.model.config, "encoder", self.model.config).kind)


def _name(content: Any) -> str:
    return os.fspath(content) if isinstance(content, str | os.PathLike) else ""


def picture_from(content: Any) -> "Image":
    """A picture of Pillow, in RGB, of whatever a predictor takes.

    Raises:
        InputError: it cannot be read.
        ShapeError: a tensor of another form.
    """
    from regard.data.images import read_picture

    if torch.is_tensor(content):
        return _from_pixels(content)
    if hasattr(content, "convert"):
        return content if content.mode == "RGB" else content.convert("RGB")
    return read_picture(content)


def _from_pixels(pixels: Tensor) -> "Image":
    from regard.extras import need

    if pixels.dtype != torch.uint8 or pixels.dim() != 3 or pixels.shape[0] != 3:
        raise ShapeError(
            f"a picture as a tensor needs to be uint8 (3, Y, X), got {pixels.dtype} "
            f"{tuple(pixels.shape)}"
        )
    made: Image = need("PIL.Image", "reading pictures").fromarray(
        pixels.permute(1, 2, 0).contiguous().numpy()
    )
    return made


PREDICTOR = PictureLabeller
