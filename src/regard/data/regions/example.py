"""A picture's name and what is in it: boxes, outlines, a mask of classes."""

from typing import NamedTuple

from .rle import RunLengths

Edges = tuple[float, float, float, float]
"""Left, top, right and bottom edge as shares of the picture: 0 is left and above."""
Polygon = tuple[tuple[float, float], ...]
"""Corners (x, y) in shares of the picture."""
Outline = tuple[Polygon, ...] | RunLengths
"""Which pixels belong to something: polygons that lie over each other, or run lengths."""


class Region(NamedTuple):
    """One object of a picture."""

    label: str
    edges: Edges
    outline: Outline | None = None
    """``None`` where only the box is known."""


class RegionExample(NamedTuple):
    """A picture and its objects."""

    name: str
    """Of the picture in its store."""
    regions: tuple[Region, ...]
    place: str = ""
    """File and line, for messages."""


def whole(bounds: Edges) -> Edges:
    """Edges cut at those of the picture."""
    left, top, right, bottom = (min(max(edge, 0.0), 1.0) for edge in bounds)
    return left, top, right, bottom
