"""Boxes with labels: what is found in a picture, and what is there."""

from typing import NamedTuple

from regard.types import Float, Int, Tensor


class Detections(NamedTuple):
    """What a model found in one picture."""

    boxes: Float[Tensor, "boxes 4"]
    """Left, top, right and bottom edge of each."""
    scores: Float[Tensor, " boxes"]
    labels: Int[Tensor, " boxes"]


class Objects(NamedTuple):
    """What is there in one picture."""

    boxes: Float[Tensor, "objects 4"]
    labels: Int[Tensor, " objects"]
