"""Scenes by number: endless, exact, in splits that share none."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import count
from random import Random
from typing import TYPE_CHECKING

from regard.errors import RangeError

from ..grammar.generator import SPLITS, known_split
from .captions import Caption, captions
from .questions import Question, questions
from .things import SceneConfig, Thing, draw_things
from .words import NOUNS

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image

    from .drawing import Whole

Box = tuple[float, float, float, float]
"""Left, top, right and bottom edge, in pixels."""

USUAL = SceneConfig()
_PARTS = 10
_HELD_OUT = {0: "valid", 1: "test"}
_INDEX_BITS = 48


@dataclass(frozen=True)
class Scene:
    """A picture, and all that is true of it; what takes time is found when it is asked for."""

    objects: tuple[Thing, ...]
    seed: int
    index: int
    split: str
    config: SceneConfig

    @property
    def picture(self) -> "Image":
        """The picture, RGB."""
        return self._drawn[0]

    @property
    def pixels(self) -> "np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]":
        """The same as numbers, (3, size, size)."""
        import numpy as np

        return np.ascontiguousarray(np.asarray(self.picture).transpose(2, 0, 1))

    @property
    def masks(self) -> "Whole":
        """The pixels of every object, (N, size, size); no pixel belongs to two."""
        return self._drawn[1]

    @cached_property
    def boxes(self) -> tuple[Box, ...]:
        """The bounds of every mask."""
        from .drawing import bounds

        return tuple(bounds(mask) for mask in self.masks)

    @cached_property
    def captions(self) -> tuple[Caption, ...]:
        """Every caption that is right."""
        return captions(self.objects)

    @cached_property
    def caption(self) -> Caption:
        """One of them, drawn at random."""
        return self._random("caption").choice(self.captions)

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """Questions with their answers."""
        return questions(self.objects, self._random("questions"), self.config)

    def boxes_of(self, noun: str, among: Sequence[int] | None = None) -> tuple[Box, ...]:
        """The boxes of all that a noun such as ``circle`` or ``circles`` stands for.

        Args:
            noun: in either number.
            among: the numbers of the objects that are meant; all if not given.
        """
        meant = range(len(self.objects)) if among is None else among
        return tuple(self.boxes[n] for n in meant if noun in NOUNS[self.objects[n].kind])

    def _random(self, what: str) -> Random:
        return Random(f"{what} {self.seed} {self.split} {self.index}")

    @cached_property
    def _drawn(self) -> "tuple[Image, Whole]":
        from .drawing import draw

        place = SPLITS.index(self.split)
        return draw(self.objects, (self.seed, place, self.index), self.config)


def scene(seed: int, index: int, *, split: str = "train", config: SceneConfig = USUAL) -> Scene:
    """The scene with a number; a pure function of its arguments, on every machine.

    >>> drawn = scene(0, 0)
    >>> drawn.picture, drawn.caption.text, drawn.boxes

    Args:
        seed: another seed, other scenes.
        index: its number, 0 or more.
        split: ``"train"``, ``"valid"`` or ``"test"``: no two share what stands where.
        config: what scenes are like.

    Raises:
        ChoiceError: no such split.
        RangeError: a negative number, or settings that cannot be.
    """
    if min(seed, index) < 0:
        raise RangeError(f"seed and index must be 0 or more, got {seed} and {index}")
    config, start = config.checked(), seed * len(SPLITS) + SPLITS.index(known_split(split))
    random = Random((start << _INDEX_BITS) + index)
    while True:
        things = draw_things(random, config)
        if split_of(things) == split:
            return Scene(things, seed, index, split, config)


def split_of(things: Sequence[Thing]) -> str:
    """The split of what stands where, whatever the seed: eight tenths train, one valid, one test.

    What a caption could tell decides it: kind, colour, size and place of every thing.
    """
    told = sorted((one.kind, one.colour, one.size, one.row, one.column) for one in things)
    digest = blake2b(repr(told).encode(), digest_size=4).digest()
    return _HELD_OUT.get(int.from_bytes(digest, "big") % _PARTS, "train")


class Scenes:
    """Endless scenes; ``scenes[i]`` is :func:`scene`.

    Args:
        seed: another seed, other scenes.
        split: ``"train"``, ``"valid"`` or ``"test"``.
        config: what they are like.

    Raises:
        ChoiceError: no such split.
        RangeError: settings that cannot be.
    """

    def __init__(self, seed: int = 0, *, split: str = "train", config: SceneConfig = USUAL) -> None:
        self.seed, self.split, self.config = seed, known_split(split), config.checked()

    def __getitem__(self, index: int) -> Scene:
        """The scene with number ``index``, 0 or more."""
        if index < 0:
            raise IndexError(f"scenes have no end to count back from, got index {index}")
        return scene(self.seed, index, split=self.split, config=self.config)

    def __iter__(self) -> Iterator[Scene]:
        """All of them from number 0 on, without end."""
        return (self[index] for index in count())

    def __repr__(self) -> str:
        return f"Scenes(seed={self.seed}, split={self.split!r}, {self.config!r})"
