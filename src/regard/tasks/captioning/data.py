"""Where captioned pictures come from: files of a user, or our own scenes."""

from collections.abc import Callable, Iterable
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from regard.data.pictured import read_captions
from regard.data.running import TextCodec
from regard.data.scenes import Scene, SceneConfig, Scenes
from regard.data.sources import File, Files, FileSource, Share, Source

from ..seeing.reading import MapReading, PixelReading
from .example import Captioned, boxes_by_noun

if TYPE_CHECKING:
    from PIL.Image import Image

    from regard.data.batches import Pools
    from regard.data.images import PictureStore

    from .corpus import Batch

POOL = 512
"""Scenes that are drawn together."""
AnyReading = PixelReading | MapReading


class SceneSource(Source):
    """Scenes of our own, :mod:`regard.data.scenes`: endless, no download."""

    kind: Literal["scenes"] = "scenes"
    seed: int = Field(default=0, ge=0)
    """Another seed, other scenes."""
    scenes: SceneConfig = SceneConfig()
    """What they are like."""
    valid_size: int = Field(default=500, ge=1)
    """Scenes to validate on."""
    vocabulary_scenes: int = Field(default=4000, ge=1)
    """Scenes that words are learned from."""

    @property
    def about(self) -> str:
        """There is nothing to read."""
        return f"{self.name}, endless"

    @property
    def name(self) -> str:
        """What decides them."""
        return f"regard's own scenes, up to {self.scenes.most} things, seed {self.seed}"

    @property
    def origin(self) -> str:
        """It is nobody's."""
        return "generated; no licence needed"

    def first(self) -> Iterable[Scene]:
        """The scenes that words are learned from."""
        return islice(self.training, self.vocabulary_scenes)

    def valid(self) -> Iterable[Scene]:
        """Those of the split ``valid`` that are validated on."""
        scenes = Scenes(self.seed, split="valid", config=self.scenes)
        return islice(scenes, self.valid_size)

    @cached_property
    def training(self) -> Scenes:
        """All scenes to train on."""
        return Scenes(self.seed, config=self.scenes)


class SceneCaptions(SceneSource):
    """Scenes with every caption that is right."""

    def texts(self) -> Iterable[str]:
        """One caption of each of the first scenes."""
        return (scene.caption.text for scene in self.first())

    def pools(self, codec: TextCodec, reading: AnyReading, longest: int | None) -> "Pools[Batch]":
        """All of them: none has a long caption."""
        from regard.data.batches import EndlessPools

        from .corpus import encode

        encoded = partial(encode, codec=codec, reading=reading)
        name = f"{self.training!r}, {reading!r}"
        return EndlessPools(self._example, encoded, name=name, size=POOL)

    def held_out(self) -> list[Captioned]:
        """Scenes of the split ``valid``."""
        return list(map(captioned, self.valid()))

    def _example(self, number: int) -> Captioned:
        scene = self.training[number]
        nouns = (boxes_by_noun(scene, scene.caption.words),)
        return captioned(scene)._replace(captions=(scene.caption.text,), nouns=nouns)


def captioned(scene: Scene) -> Captioned:
    """A scene with every caption that is right."""
    texts = tuple(one.text for one in scene.captions)
    return Captioned(f"scene {scene.index}", lambda: scene.picture, texts, None, scene)


class CaptionFiles(FileSource):
    """Captions in files, and a folder or a zip of the pictures that they name."""

    files: ClassVar[tuple[str, ...]] = ("train", "valid", "pictures")

    train: Files = Field(min_length=1)
    """Files of captions to learn from: a picture's name, then its captions, between tabs; or COCO's
    JSON."""
    pictures: File
    """Folder or zip of the pictures."""
    kept_back: Share = 0.05
    """Share of the pictures that is kept back without ``valid``."""
    valid_size: int = Field(default=1000, ge=1)
    """Pictures to validate on at most."""

    def texts(self) -> Iterable[str]:
        """All captions to train on."""
        return (text for one in self._training for text in one.captions)

    def pools(self, codec: TextCodec, reading: AnyReading, longest: int | None) -> "Pools[Batch]":
        """All of them, every caption once an epoch."""
        from regard.data.batches import FinitePools

        from .corpus import encode

        return FinitePools(encode(self._training, codec=codec, reading=reading, longest=longest))

    def held_out(self) -> list[Captioned]:
        """Pictures to validate on.

        Raises:
            InputError: there are too few.
        """
        found = self.read(self.valid) if self.valid else self._kept(True)
        if not found:
            raise self.too_few("pictures")
        return found[: self.valid_size]

    def read(self, paths: Iterable[str]) -> list[Captioned]:
        """The pictures of some files."""
        found = [one for path in paths for one in read_captions(path)]
        return [
            Captioned(
                self._store.place(one.picture), self._reader(one.picture), one.captions, one.size
            )
            for one in found
        ]

    @cached_property
    def _store(self) -> "PictureStore":
        from regard.data.images import PictureStore

        return PictureStore(self.pictures)

    @cached_property
    def _training(self) -> list[Captioned]:
        return self.read(self.train) if self.valid else self._kept(False)

    def _kept(self, back: bool) -> list[Captioned]:
        return [one for one in self.read(self.train) if self.is_kept_back(one.name) == back]

    def _reader(self, name: str) -> "Callable[[], Image]":
        return partial(self._store.__getitem__, name)
