"""Things, and where they can stand: apart from each other, and nowhere doubtful."""

import math
from random import Random
from typing import NamedTuple

from regard.config import Config
from regard.errors import RangeError

from .words import COLOURS, DIGITS, KINDS, SIZES

THIRDS = (1 / 3, 2 / 3)
DOUBT = 0.04
"""How far a centre stays from the border between two places, as a share of the picture."""
APART = 0.06
"""How much more one thing is beside another than above it, or the other way, at least."""
GAP = 0.02
"""Between two things."""
TRIES = 60
"""Places that are tried for a thing before the whole scene is drawn anew."""


class SceneConfig(Config):
    """What scenes are like."""

    size: int = 64
    """Pixels of a side."""
    fewest: int = 1
    """Things in a scene at least."""
    most: int = 3
    """Things in a scene at most; more than five hardly find room."""
    kinds: tuple[str, ...] = KINDS
    """What things there are: shapes, and digits as words."""
    colours: tuple[str, ...] = tuple(COLOURS)
    """What they look like."""
    noise: float = 6.0
    """Largest change of a pixel at random, of 255."""

    def checked(self) -> "SceneConfig":
        """The same.

        Raises:
            RangeError: a number of things that cannot be, or names that are not known.
        """
        if not 1 <= self.fewest <= self.most <= 5:
            raise RangeError(
                f"a scene needs between 1 and 5 things, got {self.fewest} to {self.most}; choose "
                "fewest and most inside"
            )
        if self.size < 16:
            raise RangeError(f"a scene needs a side of at least 16 pixels, got {self.size}")
        for names, known, what in (
            (self.kinds, KINDS, "kinds"),
            (self.colours, tuple(COLOURS), "colours"),
        ):
            if not names or not set(names) <= set(known):
                raise RangeError(f"{what} of a scene need to be some of {known}, got {names}")
        return self


class Thing(NamedTuple):
    """A thing in a scene; lengths are shares of the picture's side."""

    kind: str
    colour: str
    size: str
    """``"small"`` or ``"large"``."""
    x: float
    """Of its centre, from the left."""
    y: float
    """Of its centre, from the top."""
    radius: float
    """Half its width."""
    turn: float
    """Degrees by which it is turned; digits are not."""
    tint: tuple[int, int, int]
    """Its colour to the pixel."""

    @property
    def row(self) -> int:
        """0, 1 or 2 from the top."""
        return sum(self.y > third for third in THIRDS)

    @property
    def column(self) -> int:
        """0, 1 or 2 from the left."""
        return sum(self.x > third for third in THIRDS)

    @property
    def is_digit(self) -> bool:
        """Whether it is drawn with a font."""
        return self.kind in DIGITS


def draw_things(random: Random, config: SceneConfig) -> tuple[Thing, ...]:
    """Things of a new scene, none over another, each surely in one of nine places.

    Of any two one is surely beside the other or surely above it, whichever is more.
    """
    count = random.randint(config.fewest, config.most)
    while True:
        found: list[Thing] = []
        while len(found) < count:
            thing = _placed(random, config, found)
            if thing is None:
                break
            found.append(thing)
        if len(found) == count:
            return tuple(found)


def _placed(random: Random, config: SceneConfig, others: list[Thing]) -> Thing | None:
    """One more thing; ``None`` if there is no room for it."""
    kind, colour = random.choice(config.kinds), random.choice(config.colours)
    if others and random.random() < 0.25:  # so that there is something to count
        kind, colour = others[0].kind, others[0].colour
    size = random.choice(tuple(SIZES))
    radius = random.uniform(*SIZES[size])
    turn = 0.0 if kind in DIGITS else random.uniform(-12, 12)
    tint = _tinted(random, COLOURS[colour])
    for _ in range(TRIES):
        x, y = (random.uniform(radius + 0.01, 0.99 - radius) for _ in range(2))
        thing = Thing(kind, colour, size, x, y, radius, turn, tint)
        if _is_sure(thing) and all(_fits(thing, other) for other in others):
            return thing
    return None


def _is_sure(thing: Thing) -> bool:
    return all(abs(at - third) >= DOUBT for at in (thing.x, thing.y) for third in THIRDS)


def _fits(one: Thing, other: Thing) -> bool:
    across, down = abs(one.x - other.x), abs(one.y - other.y)
    # A turned square reaches farther than its half width.
    reach = 1.2 * (one.radius + other.radius) + GAP
    return max(across, down) >= reach and abs(across - down) >= APART


def _tinted(random: Random, colour: tuple[int, int, int]) -> tuple[int, int, int]:
    red, green, blue = (min(255, max(0, part + random.randint(-12, 12))) for part in colour)
    return red, green, blue


def relation(one: Thing, other: Thing) -> str:
    """Where ``one`` is, seen from ``other``: ``left``, ``right``, ``above`` or ``below``."""
    across, down = one.x - other.x, one.y - other.y
    if abs(across) > abs(down):
        return "left" if across < 0 else "right"
    return "above" if down < 0 else "below"


def outline(thing: Thing) -> tuple[tuple[float, float], ...]:
    """The corners of a polygon, in units of its radius, turned; empty for what has none."""
    corners = _CORNERS.get(thing.kind, ())
    angle = math.radians(thing.turn)
    cos, sin = math.cos(angle), math.sin(angle)
    return tuple((cos * x - sin * y, sin * x + cos * y) for x, y in corners)


def _star() -> tuple[tuple[float, float], ...]:
    points = []
    for number in range(10):
        reach = 1.08 if number % 2 == 0 else 0.44
        angle = math.radians(36 * number - 90)
        points.append((reach * math.cos(angle), reach * math.sin(angle)))
    return tuple(points)


_ARM = 0.34
_CORNERS: dict[str, tuple[tuple[float, float], ...]] = {
    "square": ((-0.92, -0.92), (0.92, -0.92), (0.92, 0.92), (-0.92, 0.92)),
    "triangle": ((0, -1), (1, 0.85), (-1, 0.85)),
    "star": _star(),
    "cross": (
        *((-_ARM, -1), (_ARM, -1), (_ARM, -_ARM), (1, -_ARM), (1, _ARM), (_ARM, _ARM)),
        *((_ARM, 1), (-_ARM, 1), (-_ARM, _ARM), (-1, _ARM), (-1, -_ARM), (-_ARM, -_ARM)),
    ),
}
