"""A detector with its codec, ready to find objects in pictures of any size."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import torch

from regard.data.regions import RegionCodec
from regard.decoding.protocol import device_of, inference
from regard.measures import Detections
from regard.types import Float, Tensor, UInt8

from ..regions.looking import Looks, looking
from ..regions.predictor import RegionPredictor
from ..regions.reading import Framed, Source, groups
from .sample import DetectedObject, DetectedObjects
from .suppression import detections, kept, suppressed

CONFIDENCE, OVERLAP = 0.3, 0.6
SHOWN = 7
"""Objects whose queries' looks are told, of a model of queries."""
SAME_BOX = 0.8
"""IoU above which two boxes are of the same object, whatever their labels: only the surest is told
to people. Measures count all of them, as COCO does."""


class Detected(NamedTuple):
    """What is found in some frames."""

    found: list[Detections]
    """In pixels of the frames."""
    looks: Looks
    """Where each gate looked."""
    by_object: Sequence[Float[Tensor, "n y x"]] | None
    """Where the query of each object looked; ``None`` of a model without queries, or unasked."""


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
            found, seen, queries = self.detect(batch, confidence=self.confidence, looks=looks)
            for row, (one, told) in enumerate(zip(some, found, strict=True)):
                own = None if queries is None else queries[row]
                yield self._sample(one, told, {name: maps[row] for name, maps in seen.items()}, own)

    def surer_than(self, confidence: float) -> "ObjectDetector":
        """The same that tells objects from this confidence on."""
        return ObjectDetector(self.model, self.codec, confidence=confidence, overlap=self.overlap)

    def detect(
        self, pixels: UInt8[Tensor, "B 3 Y X"], *, confidence: float, looks: bool = False
    ) -> Detected:
        """What is found in frames, in their pixels, and where the model looked.

        Args:
            pixels: uint8, of the size of the codec's frame.
            confidence: objects that are less sure are left out.
            looks: whether to tell where it looked.
        """
        with inference(self.model), looking(self.model, looks) as seen:
            found = self.model(pixels.to(device_of(self.model)))
            candidates = self.model.candidates(found)
        rows = kept(candidates, confidence=confidence, overlap=self.overlap)
        told = [Detections(*(part.cpu() for part in one)) for one in detections(candidates, rows)]
        by_query = seen.pop(getattr(self.model, "look", ""), None)
        if by_query is None or candidates.queries is None:
            return Detected(told, seen, None)
        grid = self.model.grid(*pixels.shape[2:])
        whose = [own[row].cpu() for own, row in zip(candidates.queries, rows, strict=True)]
        looked = [maps[own].unflatten(-1, grid) for maps, own in zip(by_query, whose, strict=True)]
        return Detected(told, seen, looked)

    def _sample(
        self,
        one: Framed,
        found: Detections,
        seen: Mapping[str, Tensor],
        by_object: Float[Tensor, "n y x"] | None,
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
        maps = dict(seen)
        if by_object is not None:
            shown = enumerate(by_object[alone][:SHOWN], start=1)
            maps |= {f"object {number}": heat for number, heat in shown}
        looks = {name: one.box.unframed(heat[None])[0].clamp(min=0) for name, heat in maps.items()}
        return DetectedObjects(one.name, one.picture, objects, looks)


PREDICTOR = ObjectDetector
