"""The sliding window."""

from dataclasses import dataclass

from regard.errors import RangeError
from regard.mechanism import mechanism
from regard.papers import BELTAGY_2020
from regard.types import Bool, Int, Tensor

from ..forms import Tile
from ..value import require_whole
from .base import Mask, Reach, Spans


@dataclass(frozen=True, eq=False)
class Window(Mask):
    r"""Keys near the query. Made by :func:`window`."""

    left: int
    right: int

    name = "window"

    def allowed(self, at: Tile, axes: int) -> Bool[Tensor, "*B r c"]:
        """By the distance."""
        return (at.offsets >= -self.left) & (at.offsets <= self.right)

    def tiles(self, rows: Spans, columns: Spans) -> Int[Tensor, "R C"]:
        """By the smallest and the largest distance in the tile."""
        nearest = columns.starts - (rows.stops - 1).unsqueeze(-1)
        farthest = (columns.stops - 1) - rows.starts.unsqueeze(-1)
        some = (farthest >= -self.left) & (nearest <= self.right)
        every = (nearest >= -self.left) & (farthest <= self.right)
        return some.long() + (some & every).long()

    def shifted(self, queries: int, keys: int = 0) -> Mask:
        """Only the distance counts."""
        return self if queries == keys else super().shifted(queries, keys)

    def reach(self) -> Reach:
        """Both ends."""
        return Reach(self.left, self.right)

    @property
    def looks_back(self) -> bool:
        """With nothing to the right."""
        return self.right == 0

    @property
    def keeps_self(self) -> bool:
        """Always."""
        return True

    def __repr__(self) -> str:
        return f"window({self.left}, {self.right})"


@mechanism(
    "sliding window", equation="q − l ≤ k ≤ q + r", cost="O(N (l + r) D)", paper=BELTAGY_2020
)
def window(left: int, right: int | None = None) -> Window:
    r"""Each query sees ``left`` keys before its position, its position, and ``right`` after.

    .. math:: q - \text{left} \le k \le q + \text{right}

    Local attention: Luong et al. 2015, section 3.2, *local-m*; for self attention Beltagy et al.
    2020, section 3.1 (https://arxiv.org/abs/2004.05150). Time and memory follow the number of
    allowed pairs.

    Args:
        left: keys before.
        right: keys after; ``None`` is as many as before.
    """
    right = left if right is None else right
    for what, size in (("left", left), ("right", right)):
        require_whole("window", what, size)
        if size < 0:
            raise RangeError(f"window needs {what} of at least 0, got {size}")
    return Window(left, right)
