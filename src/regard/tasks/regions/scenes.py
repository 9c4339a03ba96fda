"""Scenes of our own as pictures with regions: endless, exact."""

from functools import cached_property, partial
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from regard.data.scenes import KINDS, Scene, SceneConfig, Scenes

from .data import Frame, RegionData

if TYPE_CHECKING:
    from collections.abc import Iterable

    from regard.data.batches import Pools
    from regard.data.regions import RegionCodec

    from .batch import Batch, Loaded
    from .corpus import RegionCorpus
    from .held_out import HeldOut

POOL = 512
"""Scenes that are drawn together."""
BACKGROUND = "background"


class SceneRegions(RegionData):
    """Scenes of :mod:`regard.data.scenes`."""

    kind: Literal["scenes"] = "scenes"
    seed: int = Field(default=0, ge=0)
    """Another seed, other scenes."""
    kinds: tuple[str, ...] = KINDS
    """What things there are."""
    most: int = Field(default=4, ge=1, le=5)
    """Things in a scene at most."""
    valid_size: int = Field(default=200, ge=1)
    """Scenes to validate on."""
    side: int = Field(default=64, ge=16)
    """Pixels of a side."""

    def codec(self, frame: Frame | None, *, masked: bool) -> "RegionCodec":
        """Kinds of things; scenes are drawn as large as their frame is high."""
        from regard.data.regions import RegionCodec

        labels = (BACKGROUND, *self.kinds) if masked else self.kinds
        height, width = frame or (self.side, self.side)
        return RegionCodec(labels, height, width)

    def pools(self, codec: "RegionCodec", *, masked: bool) -> "Pools[Batch]":
        """Scenes by number."""
        from regard.data.batches import EndlessPools

        encoded = partial(_encoded, codec=codec, masked=masked)
        draw = Scenes(self.seed, config=self._config).__getitem__
        return EndlessPools(draw, encoded, name=repr(self), size=POOL)

    def held_out(self, codec: "RegionCodec", *, masked: bool) -> "HeldOut":
        """Scenes of the split ``valid``."""
        from .corpus import Kept
        from .held_out import HeldOut

        found = Scenes(self.seed, split="valid", config=self._config)
        return HeldOut(
            tuple(f"scene {number}" for number in range(self.valid_size)),
            Kept(lambda row: _loaded(found[row], codec, masked=masked)),
            lambda row: found[row].picture,
            repr(self),
        )

    @property
    def about(self) -> str:
        """There is nothing to read."""
        return f"{self.name}, endless"

    @property
    def name(self) -> str:
        """What decides the scenes."""
        return f"regard's own scenes, up to {self.most} things, seed {self.seed}"

    @property
    def origin(self) -> str:
        """It is nobody's."""
        return "generated; no licence needed"

    @cached_property
    def _config(self) -> SceneConfig:
        return SceneConfig(size=self.side, most=self.most, kinds=self.kinds)


def _encoded(scenes: "Iterable[Scene]", *, codec: "RegionCodec", masked: bool) -> "RegionCorpus":
    """Scenes as a corpus; each is drawn when it is wanted."""
    from .corpus import Kept, RegionCorpus

    kept = list(scenes)
    weights = [1 if masked else len(one.objects) for one in kept]
    pictures = Kept(lambda row: _loaded(kept[row], codec, masked=masked), most=0)
    return RegionCorpus(pictures, weights, "drawn", codec.height, codec.width, masked)


def _loaded(scene: Scene, codec: "RegionCodec", *, masked: bool) -> "Loaded":
    """A scene in its frame."""
    import torch

    from regard.data.regions import letterbox
    from regard.data.regions.augmentation import IGNORED

    from .batch import Loaded

    side = scene.config.size
    box = letterbox((side, side), (codec.width, codec.height))
    numbers = [codec.labels.index(thing.kind) for thing in scene.objects]
    boxes = box.framed_boxes(torch.tensor(scene.boxes) / side)
    mask = None
    if masked:
        classes = torch.zeros(side, side, dtype=torch.uint8)
        for number, pixels in zip(numbers, torch.from_numpy(scene.masks), strict=True):
            classes[pixels] = number
        mask = box.framed_mask(classes, IGNORED)
    return Loaded(box.framed(scene.picture), boxes, torch.tensor(numbers), mask)
