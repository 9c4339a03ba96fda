"""Sparse patterns for long sequences: strides, blocks, global tokens."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from regard.errors import DtypeError, RangeError, ShapeError
from regard.mechanism import mechanism
from regard.papers import BELTAGY_2020, CHILD_2019
from regard.types import Bool, Int, Tensor

from ..forms import Tile
from ..value import require_whole
from .base import Mask, Spans, distances


@dataclass(frozen=True, eq=False)
class Strided(Mask):
    """Keys at multiples of a stride from the query. Made by :func:`strided`."""

    stride: int

    name = "strided"
    keeps_self = True  # distance 0 is a multiple of everything

    def allowed(self, at: Tile, axes: int) -> Bool[Tensor, "*B r c"]:
        """By the remainder of the distance."""
        return at.offsets % self.stride == 0

    def tiles(self, rows: Spans, columns: Spans) -> Int[Tensor, "R C"]:
        """Whether a multiple of the stride lies between smallest and largest distance."""
        nearest, farthest = distances(rows, columns)
        multiple = torch.div(farthest, self.stride, rounding_mode="floor") * self.stride
        some = multiple >= nearest
        every = some & ((nearest == farthest) | (self.stride == 1))
        return some.long() + every.long()

    def __repr__(self) -> str:
        return f"strided({self.stride})"


@mechanism("strided", equation="(q − k) mod s = 0", cost="O(N² D / s)", paper=CHILD_2019)
def strided(stride: int) -> Strided:
    r"""Every ``stride``-th key, counted from the query: :math:`(k - q) \bmod \text{stride} = 0`.

    With ``| window(stride)`` and ``& causal()`` the strided pattern of Child et al. 2019,
    section 4.3 (https://arxiv.org/abs/1904.10509).
    """
    require_whole("strided", "stride", stride)
    if stride < 1:
        raise RangeError(f"strided needs a stride of at least 1, got {stride}")
    return Strided(stride)


@dataclass(frozen=True, eq=False)
class Blocks(Mask):
    """Whole blocks of pairs. Made by :func:`blocks`."""

    size: int
    layout: Tensor | None = None

    name = "blocks"

    def __post_init__(self) -> None:
        if self.layout is not None:
            object.__setattr__(self, "layout", self.layout.clone())

    def allowed(self, at: Tile, axes: int) -> Bool[Tensor, "*B r c"]:
        """By the blocks that query and key stand in."""
        rows, columns = at.rows // self.size, at.columns // self.size
        if self.layout is None:
            return rows.unsqueeze(-1) == columns
        return self.layout.to(rows.device)[rows.unsqueeze(-1), columns]

    def tiles(self, rows: Spans, columns: Spans) -> Int[Tensor, "R C"]:
        """By the blocks a tile touches."""
        r0, r1 = rows.starts // self.size, (rows.stops - 1) // self.size + 1
        c0, c1 = columns.starts // self.size, (columns.stops - 1) // self.size + 1
        count = int(max(r1.max(), c1.max())) if len(r1) and len(c1) else 0
        layout = torch.eye(count, dtype=torch.bool) if self.layout is None else self.layout.cpu()
        corner = torch.nn.functional.pad(layout.long().cumsum(0).cumsum(1), (1, 0, 1, 0))
        r0, r1 = r0.unsqueeze(-1), r1.unsqueeze(-1)
        inside = corner[r1, c1] - corner[r0, c1] - corner[r1, c0] + corner[r0, c0]
        return (inside > 0).long() + (inside == (r1 - r0) * (c1 - c0)).long()

    def check(self, leading: tuple[int, ...], num_queries: int, num_keys: int) -> None:
        """The layout must reach to the last position."""
        if self.layout is None:
            return
        needed = (-(-num_queries // self.size), -(-num_keys // self.size))
        if any(have < need for have, need in zip(self.layout.shape, needed, strict=True)):
            raise ShapeError(
                f"blocks of size {self.size} need a layout of at least {needed} for "
                f"{num_queries} queries and {num_keys} keys, got {tuple(self.layout.shape)}"
            )

    @property
    def keeps_self(self) -> bool:
        """On the diagonal."""
        return self.layout is None

    def __repr__(self) -> str:
        layout = "" if self.layout is None else f", layout=Tensor{tuple(self.layout.shape)}"
        return f"blocks({self.size}{layout})"


@mechanism(
    "block-sparse",
    equation="layout[q / b, k / b]",
    cost="O(N b D) per block of a row",
    paper=CHILD_2019,
)
def blocks(size: int, layout: Bool[Tensor, "R C"] | None = None) -> Blocks:
    """Whole blocks of ``size`` × ``size`` pairs.

    Zaheer et al. 2020, section 2 (https://arxiv.org/abs/2007.14062), draw a random layout.

    Args:
        size: positions in a block.
        layout: which blocks of queries see which blocks of keys; ``None``: each sees itself,
            which cuts a sequence into chunks.
    """
    require_whole("blocks", "size", size)
    if size < 1:
        raise RangeError(f"blocks need a size of at least 1, got {size}")
    if layout is not None and (layout.dtype != torch.bool or layout.dim() != 2):
        raise DtypeError(
            f"blocks need a boolean layout of two axes, got {layout.dtype} {tuple(layout.shape)}"
        )
    return Blocks(size, layout)


@dataclass(frozen=True, eq=False)
class GlobalTokens(Mask):
    """Positions that see all and are seen by all. Made by :func:`global_tokens`."""

    positions: Tensor

    name = "global_tokens"

    def __post_init__(self) -> None:
        object.__setattr__(self, "positions", self.positions.clone())

    def allowed(self, at: Tile, axes: int) -> Bool[Tensor, "*B r c"]:
        """Query or key is one of them."""
        positions = self.positions.to(at.rows.device)
        return torch.isin(at.rows, positions).unsqueeze(-1) | torch.isin(at.columns, positions)

    def tiles(self, rows: Spans, columns: Spans) -> Int[Tensor, "R C"]:
        """By how many of them each side holds."""
        r, c = self._count(rows).unsqueeze(-1), self._count(columns)
        full_rows = r == (rows.stops - rows.starts).unsqueeze(-1)
        full_columns = c == columns.stops - columns.starts
        return ((r > 0) | (c > 0)).long() + (full_rows | full_columns).long()

    def _count(self, spans: Spans) -> Int[Tensor, " n"]:
        ordered = self.positions.cpu()
        return torch.searchsorted(ordered, spans.stops) - torch.searchsorted(ordered, spans.starts)

    def __repr__(self) -> str:
        return f"global_tokens({self.positions.tolist()})"


@mechanism("global tokens", equation="k ∈ G or q ∈ G", cost="O(N |G| D)", paper=BELTAGY_2020)
def global_tokens(positions: int | Sequence[int] | Int[Tensor, " G"]) -> GlobalTokens:
    """A few positions that attend to all keys, and that all queries attend to.

    Beltagy et al. 2020, section 3.1 (https://arxiv.org/abs/2004.05150). Combine with a window:
    ``window(256) | global_tokens(1)``.

    Args:
        positions: which; a single number is that many first ones.
    """
    if isinstance(positions, int):
        if positions < 0:
            raise RangeError(f"global_tokens needs a count of at least 0, got {positions}")
        positions = range(positions)
    chosen = positions if isinstance(positions, Tensor) else torch.tensor(list(positions))
    if (chosen.is_floating_point() and chosen.numel()) or chosen.dim() != 1:
        raise DtypeError("global_tokens needs positions as a list of whole numbers")
    if chosen.numel() and int(chosen.min()) < 0:
        raise RangeError(f"global_tokens needs positions of at least 0, got {int(chosen.min())}")
    return GlobalTokens(chosen.long().unique(sorted=True))
