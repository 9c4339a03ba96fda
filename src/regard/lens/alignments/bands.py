"""Layout of an alignment in a terminal: bands of columns that fit its width, shades of cells."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import ceil
from typing import Literal

from rich.cells import cell_len, set_cell_size
from rich.color import Color
from rich.color_triplet import ColorTriplet
from rich.style import Style

from ..words import bidi_isolate, printable
from .view import AlignmentView

LONGEST = 20
"""Longer words are cut."""
GAP = 2
"""Letters between the words on the left and the cells."""
WIDE, NARROW = 4, 3
"""Letters across a cell below headings on steps: with room, and without."""
HOOK = 2
"""Letters before a heading on its step."""

Headings = Literal["line", "steps"]


@dataclass(frozen=True)
class Band:
    """A part of the columns, with all rows; every word is fitted to its place."""

    columns: tuple[str, ...]
    labels: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]
    headings: Headings
    cell: int
    """Letters across a cell."""
    margin: int
    """Letters before the cells."""


def bands(view: AlignmentView, width: int, encoding: str = "utf-8") -> list[Band]:
    """The columns of ``view``, cut as rarely and as evenly as ``width`` letters allow."""
    labels = _shorten(view.target, max(1, min(LONGEST, width // 3)), encoding)
    margin = max(map(cell_len, labels)) + GAP
    room = max(1, width - margin)
    columns = _shorten(view.columns, max(1, min(LONGEST, room - HOOK)), encoding)
    headings, cell = _headings(columns, room)
    return [
        Band(
            columns=columns[start:stop],
            labels=labels,
            rows=tuple(row[start:stop] for row in view.cells),
            headings=headings,
            cell=cell,
            margin=margin,
        )
        for start, stop in _cuts(columns, room, headings, cell)
    ]


def fit(word: str, width: int) -> str:
    """``word``, cut to ``width`` letters; wide characters count twice."""
    if cell_len(word) <= width:
        return word
    return set_cell_size(word, width - 1).rstrip() + "…"


def _shorten(words: Sequence[str], width: int, encoding: str) -> tuple[str, ...]:
    """Words the terminal can write; a question mark for what it cannot."""
    known = (printable(word).encode(encoding, "replace").decode(encoding) for word in words)
    return tuple(fit(word, width) for word in known)


def _headings(columns: Sequence[str], room: int) -> tuple[Headings, int]:
    """One line if all words fit and none turns its neighbours; steps otherwise."""
    cell = max(WIDE, max(map(cell_len, columns)) + 2)
    if cell * len(columns) <= room and all(bidi_isolate(word) == word for word in columns):
        return "line", cell
    wide, narrow = (_number(columns, room, cell) for cell in (WIDE, NARROW))
    return "steps", NARROW if narrow < wide else WIDE


def _number(columns: Sequence[str], room: int, cell: int) -> int:
    """How many bands it takes if the longest word may stand on the last step."""
    longest = max(map(cell_len, columns))
    most = min(room // cell, (room - HOOK - longest - (cell - 1) // 2) // cell + 1)
    return ceil(len(columns) / max(1, most))


def _cuts(
    columns: Sequence[str], room: int, headings: Headings, cell: int
) -> list[tuple[int, int]]:
    """Ranges of columns: as few as possible, then as equal as possible."""
    number = 1 if headings == "line" else _number(columns, room, cell)
    short, more = divmod(len(columns), number)
    sizes = [short + (place < more) for place in range(number)]
    return list(pairwise(accumulate(sizes, initial=0)))


RAMP = ((20, 32, 40), (27, 74, 86), (31, 122, 131), (94, 184, 176), (226, 245, 226))
"""From no weight to all of it, at equal distances; every cell is painted, so that the map is the
same on a dark and on a light background."""
LIGHT, FAINT = (214, 230, 228), (106, 134, 144)
"""Letters on dark cells, and those of weights that hardly count."""
STEPS = (0.05, 0.25, 0.5, 0.75)
"""From which shares on the next block is used."""
GAMMA = 0.75
"""Small weights are lifted a little, or they could not be told from none."""


def colour(share: float) -> tuple[int, int, int]:
    """The colour for ``share`` between 0 and 1."""
    place = share**GAMMA * (len(RAMP) - 1)
    below = min(int(place), len(RAMP) - 2)
    rest = place - below
    red, green, blue = (
        round(low + (high - low) * rest)
        for low, high in zip(RAMP[below], RAMP[below + 1], strict=True)
    )
    return red, green, blue


def cell_style(share: float) -> Style:
    """A painted cell with letters that can be read on it."""
    background = colour(share)
    bright = sum(part * by for part, by in zip(background, (0.3, 0.59, 0.11), strict=True)) > 120
    letters = RAMP[0] if bright else FAINT if share < STEPS[0] else LIGHT
    return Style(color=_rich(letters), bgcolor=_rich(background), bold=share >= STEPS[2])


@dataclass(frozen=True)
class Blocks:
    """Letters in place of colours, from no weight to all of it."""

    letters: str = " ░▒▓█"
    nothing: str = "·"
    """Stands in the middle of a cell of no weight, so that rows can be followed."""

    def cell(self, share: float, width: int) -> str:
        """A cell for ``share`` between 0 and 1, a gap after it."""
        letter = self.letters[sum(share >= step for step in STEPS)]
        if letter == " ":
            return self.nothing.rjust(width // 2).ljust(width - 1) + " "
        return letter * (width - 1) + " "


def _rich(rgb: tuple[int, int, int]) -> Color:
    return Color.from_triplet(ColorTriplet(*rgb))
