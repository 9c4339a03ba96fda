"""Image classification as a task: everything that training asks about it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from regard.data.images.augmentation_config import AugmentationConfig
from regard.training.flags import Flag
from regard.training.task import Comparison, Fact, Measure, Units

from ..data_task import DATA, DataTask, data_flags
from ..labelling.task import MEASURES
from .codec import PictureCodec
from .data import LabelledPictures

if TYPE_CHECKING:
    from regard.data.batches import Pools

    from .batch import Batch
    from .objective import PictureObjective
    from .validation import PictureValidator

PICTURES = "Pictures"


class ImageClassificationTask(DataTask):
    """A picture to one label, from labelled pictures."""

    measures: ClassVar[tuple[Measure, ...]] = MEASURES
    own_flags: ClassVar[tuple[Flag, ...]] = (
        *data_flags("handwritten digits of scikit-learn", "one picture in ten of --data"),
        Flag("pictures", ("task.data.pictures",), DATA, needs="data"),
        Flag("columns", ("task.data.columns",), DATA, default="label name", needs="data"),
        Flag("size", ("task.size",), PICTURES, of_codec=True),
        Flag("flip", ("task.augmentation.flip",), PICTURES, by_recipe=True),
        Flag("shift", ("task.augmentation.shift",), PICTURES, by_recipe=True),
        Flag("cutout", ("task.augmentation.cutout",), PICTURES),
        Flag("mirror", ("task.mirror",), PICTURES),
        Flag("label_smoothing", ("task.label_smoothing",), by_recipe=True),
    )
    default_model: ClassVar[str] = "cnn-se"
    example: ClassVar[str] = "regard classify --model {model} picture.jpg --show"

    kind: Literal["image-classification"] = "image-classification"
    data: LabelledPictures = LabelledPictures()
    """Where pictures come from."""
    size: int | None = Field(default=None, ge=1)
    """Pixels of a side at which pictures are seen; their own if all have one size, 64 otherwise."""
    augmentation: AugmentationConfig = AugmentationConfig()
    """What happens to pictures in training."""
    mirror: bool = False
    """Whether an answer is the mean of those to a picture and to its mirror image: twice the work.
    """
    label_smoothing: float = Field(default=0.0, ge=0, lt=1)
    """Share of the probability that all labels get alike."""

    def learn(self) -> PictureCodec:
        """Labels, size and colours of the data."""
        return self.data.learn(self.size)

    def pools(self, codec: PictureCodec, *, longest: int | None) -> "Pools[Batch]":
        """The pictures to train on, in memory as bytes."""
        from regard.data.batches import FinitePools

        if self.data.endless:
            from .clutter import endless

            return endless(codec)
        corpus = self.data.corpus(codec)
        return FinitePools(corpus, size=max(1, len(corpus)))

    def objective(self, model: Any) -> "PictureObjective":
        """Cross entropy of changed pictures."""
        from regard.data.images import Augmentation

        from .objective import PictureObjective

        change = Augmentation(self.augmentation)
        return PictureObjective(model, smoothing=self.label_smoothing, augmentation=change)

    def validator(
        self, codec: PictureCodec, *, max_tokens: int, longest: int | None
    ) -> "PictureValidator":
        """Labels of pictures held out."""
        from .validation import PictureValidator

        pixels, labels, shown = self.data.held_out(codec.size)
        return PictureValidator(pixels, labels, shown, codec, mirror=self.mirror)

    def in_use(self) -> dict[str, Any]:
        """Whether pictures are looked at in the mirror, too."""
        return {"mirror": self.mirror}

    def going_on(
        self, settings: Mapping[str, Any], codec: PictureCodec
    ) -> "ImageClassificationTask":
        """The same at the size of a model that is trained already."""
        return self.model_copy(update={"size": settings.get("size", self.size)})

    @property
    def units(self) -> Units:
        """Pictures."""
        return Units("pictures", "pictures")

    @property
    def about_samples(self) -> str:
        """The first of those that are validated on."""
        return "pictures it is validated on"

    def about_codec(self, codec: PictureCodec) -> str:
        """Sizes of what was learned."""
        return f"{codec.height} × {codec.width} pixels, {len(codec.labels)} labels"

    def facts(self, codec: PictureCodec) -> list[Fact]:
        """Codec, data and whose it is."""
        return [
            Fact("pictures", f"{codec.height} × {codec.width} pixels, squeezed to that size"),
            Fact("labels", ", ".join(codec.labels)),
            *super().facts(codec)[1:],
        ]

    def compared(self, before: Any, after: Any, count: int) -> Comparison:
        """The labels of pictures held out."""
        from .validation import compared

        return compared(before, after, self.data.judged(before.codec.size, count))


TASK = ImageClassificationTask
