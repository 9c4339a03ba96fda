"""Masks by the distance from query to key: causal, prefix, the sliding window."""

from dataclasses import dataclass

import torch

from regard.errors import RangeError
from regard.mechanism import mechanism
from regard.papers import BELTAGY_2020, VASWANI_2017
from regard.types import Bool, Int, Tensor

from ..forms import Tile
from ..value import require_whole
from .base import Mask, Reach, Spans, distances
from .padding import Padding


@dataclass(frozen=True, eq=False)
class Causal(Mask):
    r"""No look ahead: :math:`k \le q + \text{offset}`. Made by :func:`causal`."""

    offset: int = 0

    name = "causal"

    def allowed(self, at: Tile, axes: int) -> Bool[Tensor, "*B r c"]:
        """Keys up to the query's position."""
        return at.columns <= (at.rows + self.offset).unsqueeze(-1)

    def tiles(self, rows: Spans, columns: Spans) -> Int[Tensor, "R C"]:
        """By comparing corners."""
        first, last = rows.starts + self.offset, rows.stops - 1 + self.offset
        some = columns.starts <= last.unsqueeze(-1)
        every = columns.stops - 1 <= first.unsqueeze(-1)
        return some.long() + every.long()

    def shifted(self, queries: int, keys: int = 0) -> Mask:
        """Only the distance counts."""
        return causal(self.offset + queries - keys)

    @property
    def is_causal(self) -> bool:
        """Without an offset."""
        return self.offset == 0

    def reach(self) -> Reach:
        """Everything before."""
        return Reach(None, self.offset)

    @property
    def looks_back(self) -> bool:
        """With no positive offset."""
        return self.offset <= 0

    @property
    def keeps_first(self) -> bool:
        """With no negative offset."""
        return self.offset >= 0

    keeps_self = keeps_first

    def __repr__(self) -> str:
        return f"causal({self.offset or ''})"


@mechanism("causal (masked)", equation="k ≤ q", cost="O(N² D / 2)", paper=VASWANI_2017)
def causal(offset: int = 0) -> Causal:
    r"""Each query sees the keys up to its own position: :math:`k \le q + \text{offset}`.

    Vaswani et al. 2017, section 3.2.3. With a cache of ``p`` earlier keys the queries stand at
    p, p + 1, …: use ``causal(offset=p)``.
    """
    require_whole("causal", "offset", offset)
    if not -_FAR <= offset <= _FAR:
        offset = _FAR if offset > 0 else -_FAR
    return Causal(offset) if offset else _CAUSAL


_CAUSAL = Causal()
_FAR = 2**62  # beyond all positions; a position and it still fit into 64 bits


def prefix(n: int | Int[Tensor, "*B"]) -> Mask:
    """A prefix that all may see, then causal: :math:`k < n` or :math:`k \\le q`.

    Raffel et al. 2020, section 3.2.1, *prefix LM* (https://arxiv.org/abs/1910.10683).

    Args:
        n: length of the prefix; one number, or one per batch element.
    """
    if isinstance(n, int):
        require_whole("prefix", "n", n)
        if n < 0:
            raise RangeError(f"prefix needs a length of at least 0, got {n}")
        n = torch.tensor(n)
    return Padding(n, name="prefix") | Causal()


@dataclass(frozen=True, eq=False)
class Window(Mask):
    r"""Keys near the query. Made by :func:`window`."""

    left: int
    right: int

    name = "window"
    keeps_self = True

    def allowed(self, at: Tile, axes: int) -> Bool[Tensor, "*B r c"]:
        """By the distance."""
        return (at.offsets >= -self.left) & (at.offsets <= self.right)

    def tiles(self, rows: Spans, columns: Spans) -> Int[Tensor, "R C"]:
        """By the smallest and the largest distance in the tile."""
        nearest, farthest = distances(rows, columns)
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
