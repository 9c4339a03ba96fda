"""What a detector and a segmenter have in common: a model with labels and a frame, ready to use."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

from regard.data.regions import RegionCodec
from regard.data.regions.codec import codec_from

from ..described import Described
from .reading import Source


class RegionPredictor(Described):
    """Finds regions in pictures of any size.

    Args:
        model: what finds them in a frame.
        codec: labels and frame.
    """

    def __init__(self, model: Any, codec: RegionCodec) -> None:
        self.model, self.codec = model, codec

    codec_from = staticmethod(codec_from)

    def __call__(self, pictures: Any, *, looks: bool = False) -> Any:
        """The sample of one picture, or a list of those of several."""
        if isinstance(pictures, list | tuple):
            return list(self.predict(pictures, looks=looks))
        return next(self.predict([pictures], looks=looks))

    @abstractmethod
    def predict(self, inputs: Iterable[Source], *, looks: bool = False) -> Iterator[Any]:
        """A sample of every picture, in their order, in pixels of the picture as given.

        Args:
            inputs: paths, bytes, open files or pictures of Pillow.
            looks: whether to keep where the model looked.
        """

    def about_codec(self) -> dict[str, str]:
        """What it reads and writes."""
        return {
            "labels": ", ".join(self.codec.labels),
            "frame": f"{self.codec.width} × {self.codec.height}",
        }
