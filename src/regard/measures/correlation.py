"""How two vectors go together."""

from collections.abc import Sequence
from math import fsum, sqrt

from regard.errors import ShapeError


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    r"""The cosine of the angle between two vectors, :math:`a \cdot b / (|a| |b|)`; 0 of a zero one.

    Raises:
        ShapeError: vectors of different widths.
    """
    if len(one) != len(other):
        raise ShapeError(f"a cosine needs vectors of one width, got {len(one)} and {len(other)}")
    size = sqrt(fsum(a * a for a in one)) * sqrt(fsum(b * b for b in other))
    return fsum(a * b for a, b in zip(one, other, strict=True)) / size if size else 0.0


def pearson(one: Sequence[float], other: Sequence[float]) -> float:
    r"""Pearson's correlation: the cosine of both without their means; 0 where one is constant."""
    means = [fsum(each) / max(1, len(each)) for each in (one, other)]
    return cosine([a - means[0] for a in one], [b - means[1] for b in other])
