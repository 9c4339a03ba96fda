"""Where questions about pictures come from: files of a user, our own scenes, or both."""

from collections.abc import Iterable
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from regard.data.chance import uniform
from regard.data.pictured import AskedPicture, read_questions
from regard.data.scenes import Scene
from regard.data.sources import File, Files, FileSource, Share

from ..captioning.data import AnyReading, SceneSource
from .codec import AnswerCodec
from .example import Asked, Corners, Pictured

if TYPE_CHECKING:
    from regard.data.batches import Pools
    from regard.data.images import PictureStore

    from .corpus import Batch

POOL = 512
"""Pictures that are drawn together, where there is no end of them."""


class SceneQuestions(SceneSource):
    """Scenes with their questions."""

    valid_size: int = Field(default=300, ge=1)
    """Scenes to validate on."""

    def questions(self) -> Iterable[Asked]:
        """All about the first scenes; nothing needs to be drawn for it."""
        for scene in self.first():
            yield from (Asked(one.text, one.answer) for one in scene.questions)

    def pools(self, codec: AnswerCodec, reading: AnyReading) -> "Pools[Batch]":
        """All of them."""
        from regard.data.batches import EndlessPools

        from .corpus import encode

        encoded = partial(encode, codec=codec, reading=reading)
        return EndlessPools(self.example, encoded, name=f"{self!r}, {reading!r}", size=POOL)

    def held_out(self) -> list[Pictured]:
        """Scenes of the split ``valid``."""
        return list(map(pictured, self.valid()))

    def example(self, number: int) -> Pictured:
        """A scene to train on."""
        return pictured(self.training[number])


def pictured(scene: Scene) -> Pictured:
    """A scene with its questions, and where what they ask about is."""
    side = scene.config.size
    boxes = tuple(tuple(edge / side for edge in box) for box in scene.boxes)
    asked = tuple(
        Asked(one.text, one.answer, tuple(boxes[n] for n in one.about), one.kind)  # type: ignore[misc]
        for one in scene.questions
    )
    return Pictured(f"scene {scene.index}", lambda: scene.picture, asked, boxes)  # type: ignore[arg-type]


class QuestionFiles(FileSource):
    """Questions in files, and a folder or a zip of the pictures that they name."""

    files: ClassVar[tuple[str, ...]] = ("train", "valid", "pictures", "valid_pictures", "detector")

    train: Files = Field(min_length=1)
    """Files of questions to learn from: a picture's name, a question, its answer, between tabs; or
    a list in JSON."""
    pictures: File
    """Folder or zip of the pictures."""
    valid_pictures: File | None = None
    """Folder or zip of the pictures of ``valid``, where they are elsewhere."""
    detector: File | None = None
    """The folder of a model that finds objects: their boxes are the regions of a model of boxes."""
    kept_back: Share = 0.05
    """Share of the pictures that is kept back without ``valid``."""
    valid_size: int = Field(default=4000, ge=1)
    """Questions to validate on at most."""
    scenes: float = Field(default=0.0, ge=0, lt=1)
    """Share of the pictures in training that are scenes of our own instead."""

    def questions(self) -> Iterable[Asked]:
        """All to train on."""
        yield from (one for picture in self._training for one in picture.questions)
        if self.scenes:
            yield from self._scenes.questions()

    def pools(self, codec: AnswerCodec, reading: AnyReading) -> "Pools[Batch]":
        """All of them, every picture once an epoch; with scenes between them, without end."""
        from regard.data.batches import EndlessPools, FinitePools

        from .corpus import encode

        if not self.scenes:
            return FinitePools(encode(self._training, codec=codec, reading=reading))
        encoded = partial(encode, codec=codec, reading=reading)
        digest = sha256(repr([one[:1] + one[2:] for one in self._training]).encode()).hexdigest()
        name = f"{self.scenes} scenes among {digest}, {reading!r}"
        return EndlessPools(self._example, encoded, name=name, size=POOL)

    def held_out(self) -> list[Pictured]:
        """Pictures to validate on, and some scenes where there are scenes in training.

        Raises:
            InputError: there are too few.
        """
        found = self.read(self.valid, self.valid_pictures) if self.valid else self._kept(True)
        if not found:
            raise self.too_few("pictures")
        kept, count = [], 0
        for one in found:
            if count >= self.valid_size:
                break
            kept.append(one)
            count += len(one.questions)
        return [*kept, *(self._scenes.held_out() if self.scenes else ())]

    def read(self, paths: Iterable[str], pictures: str | None = None) -> list[Pictured]:
        """The pictures of some files, each with all its questions.

        Args:
            paths: of the files.
            pictures: where they are; where those to train on are, if not given.
        """
        store = self._store if pictures is None else _store(pictures)
        known: dict[str, list[AskedPicture]] = {}
        for path in paths:
            for one in read_questions(path):
                known.setdefault(one.picture, []).append(one)
        boxes = self._boxes(store, known)
        return [
            Pictured(
                store.place(name),
                partial(store.__getitem__, name),
                tuple(Asked(one.question, one.answer) for one in asked),
                boxes.get(store.place(name), ()),
            )
            for name, asked in known.items()
        ]

    def _boxes(self, store: "PictureStore", names: Iterable[str]) -> dict[str, tuple[Corners, ...]]:
        """What the detector finds, once for every picture; nothing without one."""
        if self.detector is not None:
            from .proposals import proposed

            new = [name for name in names if store.place(name) not in self._found]
            pictures = (store[name] for name in new)
            boxes = proposed(Path(self.detector), pictures)
            self._found.update(zip(map(store.place, new), boxes, strict=True))
        return self._found

    @cached_property
    def _found(self) -> dict[str, tuple[Corners, ...]]:
        return {}

    @property
    def name(self) -> str:
        """The names of the files, and how many scenes are between them."""
        return (
            f"{super().name}; {100 * self.scenes:.0f} % own scenes" if self.scenes else super().name
        )

    @cached_property
    def _store(self) -> "PictureStore":
        return _store(self.pictures)

    @cached_property
    def _scenes(self) -> SceneQuestions:
        return SceneQuestions()

    @cached_property
    def _training(self) -> list[Pictured]:
        return self.read(self.train) if self.valid else self._kept(False)

    def _example(self, number: int) -> Pictured:
        """A scene, or one of the pictures; which, depends on the number alone."""
        drawn, which = (float(uniform(number, side)[0]) for side in (0, 1))
        if drawn < self.scenes:
            return self._scenes.example(number)
        return self._training[int(which * len(self._training))]

    def _kept(self, back: bool) -> list[Pictured]:
        return [one for one in self.read(self.train) if self.is_kept_back(one.name) == back]


def _store(path: str) -> "PictureStore":
    from regard.data.images import PictureStore

    return PictureStore(path)
