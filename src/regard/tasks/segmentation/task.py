"""Segmentation as a task: everything that training asks about it."""

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from regard.training.flags import Flag
from regard.training.task import Comparison, Measure

from ..data_task import DATA
from ..regions.task import RegionTask, region_flags

if TYPE_CHECKING:
    from regard.data.regions import RegionCodec

    from .objective import SegmentationObjective
    from .validation import SegmentationValidator


class SegmentationTask(RegionTask):
    """A picture to the class of every pixel."""

    masked: ClassVar[bool] = True
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure("iou", "mean IoU", best=1.0, percent=True),
        Measure("dice", "mean Dice", best=1.0, percent=True),
    )
    own_flags: ClassVar[tuple[Flag, ...]] = region_flags(
        Flag(
            "masks",
            ("task.data.masks",),
            DATA,
            default="outlines in --data",
            needs="data",
        ),
        Flag("names", ("task.data.names",), DATA, default="their numbers", needs="data"),
    )
    default_model: ClassVar[str] = "unet-small"
    example: ClassVar[str] = "regard segment picture.jpg --model {model} --show"

    kind: Literal["segmentation"] = "segmentation"

    def objective(self, model: Any) -> "SegmentationObjective":
        """Cross entropy and Dice."""
        from .objective import SegmentationObjective

        return SegmentationObjective(model, self.changing())

    def validator(
        self, codec: "RegionCodec", *, max_tokens: int, longest: int | None
    ) -> "SegmentationValidator":
        """IoU and Dice on pictures held out."""
        from .validation import SegmentationValidator

        held_out = self.placed.held_out(codec, masked=True)
        return SegmentationValidator(held_out, codec, size=max_tokens)

    def compared(self, before: Any, after: Any, count: int) -> Comparison:
        """The first pictures held out."""
        from .validation import compared

        held_out = self.placed.held_out(before.codec, masked=True)
        return compared(before, after, held_out.first(count))


TASK = SegmentationTask
