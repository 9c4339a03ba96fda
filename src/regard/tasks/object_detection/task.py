"""Object detection as a task: everything that training asks about it."""

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from regard.training.flags import Flag
from regard.training.task import Comparison, Measure

from ..regions.task import RegionTask, region_flags

if TYPE_CHECKING:
    from regard.data.regions import RegionCodec

    from .objective import DetectionObjective
    from .validation import DetectionValidator


class ObjectDetectionTask(RegionTask):
    """A picture to boxes with labels."""

    masked: ClassVar[bool] = False
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure("map50", "mAP at 0.5", best=1.0, percent=True),
        Measure("map", "mAP", best=1.0, percent=True),
    )
    own_flags: ClassVar[tuple[Flag, ...]] = region_flags()
    default_model: ClassVar[str] = "detector-small"
    example: ClassVar[str] = "regard detect picture.jpg --model {model} --show"

    kind: Literal["object-detection"] = "object-detection"

    def objective(self, model: Any) -> "DetectionObjective":
        """The criterion of the model."""
        from .objective import DetectionObjective

        return DetectionObjective(model, self.changing())

    def validator(
        self, codec: "RegionCodec", *, max_tokens: int, longest: int | None
    ) -> "DetectionValidator":
        """Average precision on pictures held out."""
        from .validation import DetectionValidator

        held_out = self.placed.held_out(codec, masked=False)
        return DetectionValidator(held_out, codec, size=max_tokens)

    def compared(self, before: Any, after: Any, count: int) -> Comparison:
        """The first pictures held out."""
        from .validation import compared

        held_out = self.placed.held_out(before.codec, masked=False)
        return compared(before, after, held_out.first(count))


TASK = ObjectDetectionTask
