"""What validators of detectors and of segmenters have in common: the pictures held out."""

from abc import abstractmethod

from torch import nn

from regard.data.regions import RegionCodec
from regard.training.task import Validation

from .held_out import HeldOut
from .predictor import RegionPredictor

SAMPLES = 2


class RegionValidator:
    """Measures a model on pictures held out.

    Args:
        held_out: pictures with what is in them.
        codec: labels and frame.
        size: pictures that go through the model together.
    """

    left_out = 0

    def __init__(self, held_out: HeldOut, codec: RegionCodec, *, size: int) -> None:
        self.held_out, self.codec, self.batch = held_out, codec, size

    @property
    def identity(self) -> str:
        """A short fingerprint of what is measured on."""
        return self.held_out.digest

    @property
    def size(self) -> int:
        """How many pictures."""
        return len(self.held_out.names)

    @abstractmethod
    def validate(self, model: nn.Module) -> Validation:
        """All scores, and the first pictures to look at."""

    def told(self, scores: dict[str, float], predictor: RegionPredictor) -> Validation:
        """These scores, and the first pictures to look at."""
        first = [self.held_out.picture(row) for row in range(min(SAMPLES, self.size))]
        return Validation(scores, tuple(predictor.predict(first, looks=True)))
