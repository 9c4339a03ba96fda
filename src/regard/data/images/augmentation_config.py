"""What may happen to a picture in training, as settings."""

from pydantic import Field

from regard.config import Config


class AugmentationConfig(Config):
    """What may happen to a picture in training; nothing does by default."""

    flip: bool = False
    """Half of all pictures are mirrored, left for right."""
    shift: int = Field(default=0, ge=0)
    """Pixels that a picture is moved by at most, up, down and to the sides; what comes in is the
    mirror of what lies at the edge."""
    cutout: int = Field(default=0, ge=0)
    """Side of a square that is made the mean colour, anywhere; DeVries and Taylor 2017
    (https://arxiv.org/abs/1708.04552)."""
    brightness: float = Field(default=0.0, ge=0, lt=1)
    """All colours times a number from 1 − this to 1 + this."""
    contrast: float = Field(default=0.0, ge=0, lt=1)
    """The distance of every colour from the mean of its picture, likewise."""
    saturation: float = Field(default=0.0, ge=0, lt=1)
    """The distance of every colour from grey, likewise."""
