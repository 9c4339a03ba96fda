"""What detection and segmentation answer alike."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar

from pydantic import Field

from regard.data.regions.changes import RegionChanges
from regard.training.flags import Flag
from regard.training.task import Fact, Units

from ..data_task import DATA, DataTask, data_flags
from .data import Frame
from .files import FileRegions
from .scenes import SceneRegions

if TYPE_CHECKING:
    from regard.data.batches import Pools
    from regard.data.regions import RegionAugmentation, RegionCodec

    from .batch import Batch

R = TypeVar("R", bound="RegionTask")


def region_flags(*more: Flag) -> tuple[Flag, ...]:
    """The settings of such a task as words of ``regard train``."""
    data, valid = data_flags("our own scenes", "one picture in ten of --data")
    beside = "images.zip or images beside --data"
    return (
        data,
        Flag("pictures", ("task.data.pictures",), DATA, default=beside, needs="data"),
        *more,
        valid,
        Flag("valid_pictures", ("task.data.valid_pictures",), DATA, needs="data"),
        Flag("frame", ("task.frame",), DATA, default="as most pictures are", of_codec=True),
    )


class RegionTask(DataTask):
    """What is where in pictures."""

    masked: ClassVar[bool]
    """Whether every pixel has a class, or objects have boxes."""
    data: Annotated[SceneRegions | FileRegions, Field(discriminator="kind")] = SceneRegions()
    """Where pictures come from."""
    frame: Frame | None = None
    """Rows and columns of what the model reads: pictures are fitted into it."""
    augmentation: RegionChanges | None = RegionChanges()
    """What happens to pictures in training."""

    @property
    def placed(self) -> SceneRegions | FileRegions:
        """Where pictures and masks are."""
        return self.data.placed(masked=self.masked)

    def learn(self) -> "RegionCodec":
        """Labels and frame of the data."""
        return self.placed.codec(self.frame, masked=self.masked)

    def pools(self, codec: "RegionCodec", *, longest: int | None) -> "Pools[Batch]":
        """The pictures to train on."""
        return self.placed.pools(codec, masked=self.masked)

    def changing(self) -> "RegionAugmentation | None":
        """What happens to pictures in training."""
        from regard.data.regions import RegionAugmentation

        if self.augmentation is None:
            return None
        return RegionAugmentation(**self.augmentation.model_dump())

    def going_on(self: R, settings: Mapping[str, Any], codec: "RegionCodec") -> R:
        """The same in the frame of a model that is trained already."""
        return self.model_copy(update={"frame": (codec.height, codec.width)})

    @property
    def units(self) -> Units:
        """Pictures, of which masks or boxes are learned."""
        return Units("pictures", "pictures" if self.masked else "objects")

    @property
    def about_samples(self) -> str:
        """The first of those that are validated on."""
        return "pictures it is validated on"

    def about_codec(self, codec: "RegionCodec") -> str:
        """Sizes of what was learned."""
        return f"{len(codec.labels)} labels, frames of {codec.width} × {codec.height} pixels"

    def facts(self, codec: "RegionCodec") -> list[Fact]:
        """Codec, data and whose it is."""
        return [
            Fact("labels", ", ".join(codec.labels)),
            Fact("frame", f"{codec.width} × {codec.height} pixels"),
            Fact("trained on", self.data.name),
            Fact("origin of the data", self.data.origin),
        ]
