"""The form of a score: what is left of it once every vector is projected.

A score does its work in two stages. Per *vector*, O(N·D): projections, norms, exponentials. Per
*pair*, O(N²): the cheapest function that remains. The second stage is a :class:`Form`; the engine
evaluates it tile by tile and never needs to know which score it came from.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch

from regard.types import Float, Int, Tensor

from ..tensors import broadcast_shapes

if TYPE_CHECKING:
    from .inner import Inner

Vectors = tuple[Tensor, ...]
Pairs = Float[Tensor, "*B r c"]
"""A number for each pair of some rows and columns."""


class Tile:
    """Where a tile lies: the positions of its rows (queries) and of its columns (keys).

    Args:
        rows: query positions, a range or an index tensor.
        columns: key positions, a range or an index tensor.
        device: where position tensors are made.
        elements: the numbers of the batch elements, (*B); ``None`` counts them from zero.
    """

    def __init__(
        self,
        rows: range | Tensor,
        columns: range | Tensor,
        device: torch.device,
        elements: Tensor | None = None,
    ) -> None:
        self._rows, self._columns, self._device = rows, columns, device
        self.elements = elements
        self._offsets: Tensor | None = None

    @property
    def rows(self) -> Int[Tensor, " r"]:
        """Query positions as a tensor."""
        return _positions(self._rows, self._device)

    @property
    def columns(self) -> Int[Tensor, " c"]:
        """Key positions as a tensor."""
        return _positions(self._columns, self._device)

    @property
    def offsets(self) -> Int[Tensor, "r c"]:
        """Key position minus query position, for every pair."""
        if self._offsets is None:
            self._offsets = self.columns - self.rows.unsqueeze(-1)
        return self._offsets

    def moved(self, rows: int, columns: int) -> "Tile":
        """The tile that lies so many positions further down and to the right."""
        moved = _moved(self._rows, rows), _moved(self._columns, columns)
        return Tile(*moved, self._device, self.elements)

    def take_rows(self, vectors: Vectors) -> Vectors:
        """The row vectors of this tile."""
        return tuple(_take(x, self._rows) for x in vectors)

    def take_columns(self, vectors: Vectors) -> Vectors:
        """The column vectors of this tile."""
        return tuple(_take(x, self._columns) for x in vectors)


def _positions(positions: range | Tensor, device: torch.device) -> Tensor:
    if isinstance(positions, Tensor):
        return positions
    return torch.arange(positions.start, positions.stop, device=device)


def _moved(positions: range | Tensor, by: int) -> range | Tensor:
    if isinstance(positions, Tensor):
        return positions + by
    return range(positions.start + by, positions.stop + by)


def _take(vectors: Tensor, positions: range | Tensor) -> Tensor:
    if isinstance(positions, Tensor):
        return vectors.index_select(-2, positions)
    if len(positions) == vectors.shape[-2]:
        return vectors
    return vectors.narrow(-2, positions.start, len(positions))


class Form(ABC):
    """A function of pairs, given as vectors per row, vectors per column and shared tensors.

    ``rows`` are tensors (*B, Q, ·), ``columns`` (*B, K, ·); ``shared`` are whole. All of them may
    carry gradients; :meth:`tile` is differentiable in each.
    """

    @property
    def rows(self) -> Vectors:
        """Vectors per query."""
        return ()

    @property
    def columns(self) -> Vectors:
        """Vectors per key."""
        return ()

    @property
    def shared(self) -> Vectors:
        """What all pairs share."""
        return ()

    @property
    def closed(self) -> bool:
        """Whether these are all that a gradient may be asked for."""
        return True

    @abstractmethod
    def tile(self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile) -> Pairs:
        """Scores of a tile, by the definition."""

    def fast_tile(self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile) -> Pairs:
        """The same scores by the fastest exact arithmetic; the definition unless overridden."""
        return self.tile(rows, columns, shared, at)

    @abstractmethod
    def of_heads(self, heads: Int[Tensor, " h"]) -> "Form":
        """The same pairing for some of the heads, the axis before the positions."""

    def as_inner(self) -> "Inner | None":
        """The same scores as one inner product, where they are: fused kernels compute those."""
        return None

    def scores(self, at: Tile) -> Pairs:
        """Scores of the tile at ``at``, by the definition."""
        return self.tile(at.take_rows(self.rows), at.take_columns(self.columns), self.shared, at)


def take_heads(tensor: Tensor, heads: Int[Tensor, " h"]) -> Tensor:
    """Some entries of the axis before the positions, unless all heads share one."""
    shared = tensor.dim() < 3 or tensor.shape[-3] == 1
    return tensor if shared else tensor.index_select(-3, heads)


@dataclass(frozen=True, eq=False)
class Sided(Form):
    """A pairing of projected queries with projected keys.

    Args:
        query: (*B, Q, D).
        key: (*B, K, D).
    """

    query: Tensor
    key: Tensor

    @property
    def rows(self) -> Vectors:
        """The projected queries."""
        return (self.query,)

    @property
    def columns(self) -> Vectors:
        """The projected keys."""
        return (self.key,)

    def of_heads(self, heads: Int[Tensor, " h"]) -> "Sided":
        """The vectors of these heads."""
        query, key = take_heads(self.query, heads), take_heads(self.key, heads)
        return replace(self, query=query, key=key)


def leading_axes(query: Tensor, key: Tensor) -> tuple[int, ...]:
    """The leading axes that query and key broadcast to."""
    return tuple(broadcast_shapes(query.shape[:-2], key.shape[:-2]))
