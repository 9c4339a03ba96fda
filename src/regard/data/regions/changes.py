"""What may happen to a picture in training, as settings: nothing here imports torch."""

from pydantic import Field

from regard.config import Config


class RegionChanges(Config):
    """How far pictures are turned over, enlarged, moved and coloured."""

    flip: float = Field(default=0.5, ge=0, le=1)
    """Share of the pictures that are mirrored, left for right."""
    upside_down: float = Field(default=0.0, ge=0, le=1)
    """Share of those that are mirrored, top for bottom: for what has no above, such as cells."""
    smallest: float = Field(default=0.8, gt=0)
    """Least factor by which a picture is enlarged."""
    largest: float = Field(default=1.25, gt=0)
    """Largest factor."""
    stretch: float = Field(default=0.1, ge=0, lt=1)
    """Largest change of width over height."""
    shift: float = Field(default=0.1, ge=0, lt=1)
    """Largest way that a picture is moved, as a share of its sides."""
    brightness: float = Field(default=0.2, ge=0, lt=1)
    """All colours times a number from 1 − this to 1 + this."""
    contrast: float = Field(default=0.2, ge=0, lt=1)
    """The distance of every colour from the mean of its picture, likewise."""
    saturation: float = Field(default=0.2, ge=0, lt=1)
    """The distance of every colour from grey, likewise."""
