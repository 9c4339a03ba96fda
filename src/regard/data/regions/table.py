"""Boxes in a table: the name of a picture, then a field for each object."""

import math
from collections.abc import Iterator

from regard.errors import InputError

from ..pairs.lines import Place, lines
from .example import Region, RegionExample, whole

EDGES = 4


def read_table(path: str) -> Iterator[RegionExample]:
    """Lines of fields with tabs between: a name, then ``CLASS xmin ymin xmax ymax`` as often as
    there are objects, edges as shares of the picture.

    Args:
        path: plain or gzip, or ``-`` for the standard input.

    Raises:
        InputError: a field that is something else, by file and line.
    """
    for name, fields, place in _rows(path):
        found = tuple(_region(field, place) for field in fields if field.strip())
        yield RegionExample(name, found, str(place))


def read_names(path: str) -> Iterator[RegionExample]:
    """The names in the first fields of a table, whatever stands behind them.

    Args:
        path: plain or gzip, or ``-`` for the standard input.

    Raises:
        InputError: a line without a name, by file and line.
    """
    return (RegionExample(name, (), str(place)) for name, _, place in _rows(path))


def _rows(path: str) -> Iterator[tuple[str, list[str], Place]]:
    for place, text in lines(path):
        if not text.strip():
            continue
        name, *fields = text.split("\t")
        if not name.strip():
            raise InputError(f"{place}: needs the name of a picture first, got nothing")
        yield name.strip(), fields, place


def _region(field: str, place: Place) -> Region:
    label, *numbers = field.rsplit(maxsplit=EDGES)
    try:
        left, top, right, bottom = map(float, numbers)
    except ValueError:
        raise InputError(
            f"{place}: an object needs to be 'CLASS xmin ymin xmax ymax', got {field!r:.60}"
        ) from None
    edges = left, top, right, bottom
    if not all(map(math.isfinite, edges)) or not (left < right and top < bottom):
        raise InputError(f"{place}: a box needs xmin < xmax and ymin < ymax, got {field!r:.60}")
    if max(edges) > 1.01 or min(edges) < -0.01:
        raise InputError(
            f"{place}: edges need to be shares of the picture, from 0 to 1, got {field!r:.60}; "
            "divide pixels by width and height"
        )
    return Region(label, whole(edges))
