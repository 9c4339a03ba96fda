"""A detector with its codec, ready to find objects in pictures of any size."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import torch

from regard.data.regions import RegionCodec
from regard.decoding.protocol import device_of, inference
from regard.measures import Detections
from regard.types import Tensor, UInt8

from ..regions.looking import Looks, looking
from ..regions.predictor import RegionPredictor
from ..regions.reading import Framed, Source, groups
from .sample import DetectedObject, DetectedObjects
from .suppression import detections, suppressed

CONFIDENCE, OVERLAP = 0.3, 0.6
SAME_BOX = 0.8
"""IoU above which two boxes are of the same object, whatever their labels: only the surest is told
to people. Measures count all of them, as COCO does."""


class ObjectDetector(RegionPredictor):
    """Finds objects in pictures.

    >>> detector("blood.png").objects[0].label            # one sample
    >>> detector(["blood.png", "more.png"])               # a list of them

    Args:
        model: a detector.
        codec: labels and frame.
        confidence: objects that are less sure are not told.
        overlap: IoU above which two boxes of a class are of the same object.
    """

    def __init__(
        self,
        model: Any,
        codec: RegionCodec,
        *,
        confidence: float = CONFIDENCE,
        overlap: float = OVERLAP,
    ) -> None:
        super().__init__(model, codec)
        self.confidence, self.overlap = confidence, overlap

    def predict(
        self, inputs: Iterable[Source], *, looks: bool = False
    ) -> Iterator[DetectedObjects]:
        """A sample of every picture, in their order; edges in pixels of the picture as given."""
        for some in groups(inputs, (self.codec.width, self.codec.height)):
            batch = torch.stack([one.pixels for one in some])
            found, seen = self.detect(batch, confidence=self.confidence, looks=looks)
            for row, (one, told) in enumerate(zip(some, found, strict=True)):
                yield self._sample(one, told, {name: maps[row] for name, maps in seen.items()})

    def surer_than(self, confidence: float) -> "ObjectDetector":
        """The same that tells objects from this confidence on."""
        return ObjectDetector(self.model, self.codec, confidence=confidence, overlap=self.overlap)

    def detect(
        self, pixels: UInt8[Tensor, "B 3 Y X"], *, confidence: float, looks: bool = False
    ) -> tuple[list[Detections], Looks]:
        """What is found in frames, in their pixels, and where the model looked.

        Args:
            pixels: uint8, of the size of the codec's frame.
            confidence: objects that are less sure are left out.
            looks: whether to tell where it looked.
        """
        with inference(self.model), looking(self.model, looks) as seen:
            found = self.model(pixels.to(device_of(self.model)))
            candidates = self.model.candidates(found)
        told = detections(candidates, confidence=confidence, overlap=self.overlap)
        return [Detections(*(part.cpu() for part in one)) for one in told], seen

    def _sample(
        self, one: Framed, found: Detections, seen: Mapping[str, Tensor]
    ) -> DetectedObjects:
        width, height = one.picture.size
        alone = suppressed(found.boxes, found.scores, torch.zeros_like(found.labels), SAME_BOX)
        found = Detections(*(part[alone] for part in found))
        edges = one.box.shares(found.boxes) * torch.tensor([width, height, width, height])
        objects = tuple(
            DetectedObject(self.codec.labels[label], score, (box[0], box[1], box[2], box[3]))
            for box, score, label in zip(
                edges.tolist(), found.scores.tolist(), found.labels.tolist(), strict=True
            )
        )
        looks = {name: one.box.unframed(heat[None])[0].clamp(min=0) for name, heat in seen.items()}
        return DetectedObjects(one.name, one.picture, objects, looks)


PREDICTOR = ObjectDetector
