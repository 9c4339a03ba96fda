"""An autoencoder with its codec, ready to be used: of texts or of pictures."""

from importlib import import_module
from typing import Any

from ..described import Described
from .codec import AutoCodec, FrameCodec, codec_from


class Reconstructor(Described):
    """Takes a text or a picture through its latent, as the model reads the one or the other.

    >>> regard.load("run")("The black cat ate the mouse.").reconstruction

    What is made is a :class:`TextReconstructor` or a :class:`PictureReconstructor`.

    Args:
        model: an autoencoder.
        codec: between texts, or pictures, and numbers.
    """

    codec: Any

    def __new__(cls, model: Any, codec: AutoCodec) -> "Reconstructor":
        """The one for what the codec reads."""
        if cls is not Reconstructor:
            return super().__new__(cls)
        kind = "pictures" if isinstance(codec, FrameCodec) else "text"
        found = import_module(f"{__package__}.predictor_of_{kind}").PREDICTOR
        made: Reconstructor = super().__new__(found)
        return made

    def __init__(self, model: Any, codec: AutoCodec) -> None:
        self.model, self.codec = model, codec

    codec_from = staticmethod(codec_from)

    @property
    def model_name(self) -> str:
        """Its kind."""
        return str(self.model.config.kind)


PREDICTOR = Reconstructor
