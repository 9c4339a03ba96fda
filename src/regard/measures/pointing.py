"""The pointing game: whether a map is largest where the thing is."""

from collections.abc import Iterable

from regard.errors import ShapeError
from regard.types import Float, Tensor

Corners = tuple[float, float, float, float]
"""Left, top, right and bottom edge, as shares of the picture."""


def peak(heat: Float[Tensor, "Y X"]) -> tuple[float, float]:
    """The middle of the largest place, from the left and from the top, as shares of the picture.

    Of equal ones the first, row by row.
    """
    if heat.dim() != 2 or not heat.numel():
        raise ShapeError(f"the pointing game needs a grid (Y, X), got {tuple(heat.shape)}")
    row, column = divmod(int(heat.argmax()), heat.shape[1])
    return (column + 0.5) / heat.shape[1], (row + 0.5) / heat.shape[0]


def points_at(
    heat: Float[Tensor, "Y X"], boxes: Iterable[Corners], *, tolerance: float = 0.0
) -> bool:
    r"""Whether the largest place of a map lies in one of the boxes of a thing.

    .. math:: \text{hit} = \arg\max_p \alpha_p \in \bigcup_b B_b

    Zhang et al. 2016, section 4.1 (https://arxiv.org/abs/1608.00507); the share of hits is the
    score. They allow 15 pixels around a box, here ``tolerance``, a share of the picture.

    Args:
        heat: one number for each place of a grid over the whole picture.
        boxes: of the thing, or of all things of its name.
        tolerance: how far beside a box still counts.
    """
    x, y = peak(heat)
    return any(
        left - tolerance <= x <= right + tolerance and top - tolerance <= y <= bottom + tolerance
        for left, top, right, bottom in boxes
    )
