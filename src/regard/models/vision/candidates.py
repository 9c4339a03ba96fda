"""What detectors say in the end, whichever way they come to it."""

from typing import NamedTuple

from regard.types import Float, Int, Tensor


class Candidates(NamedTuple):
    """Boxes of a batch of pictures, the surest of each first."""

    boxes: Float[Tensor, "B N 4"]
    """Left, top, right and bottom edge, in pixels of what the model read."""
    scores: Float[Tensor, "B N"]
    """From 0 to 1."""
    labels: Int[Tensor, "B N"]
    queries: Int[Tensor, "B N"] | None = None
    """Whose each box is, of a model of queries."""
