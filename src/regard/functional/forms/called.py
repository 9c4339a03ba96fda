"""The form of a score that is a user's function."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod

import torch
from torch.utils.checkpoint import checkpoint

from regard.errors import DtypeError, ShapeError
from regard.types import Float, Int, Tensor

from ..tensors import broadcast_shapes
from .base import Sided, Tile, Vectors, take_heads

HELD = 2**22
"""Numbers that a call may build, if it builds a vector as wide as the query for every pair."""


@dataclass(frozen=True, eq=False)
class Called(Sided):
    """Scores by a function of queries (*B, r, D) and keys (*B, c, D) that returns (*B, r, c).

    What the function does with tensors of its own cannot be seen from here, so it is differentiated
    as it stands, and heads are picked from its answer.

    Args:
        query: (*B, Q, Dq).
        key: (*B, K, Dk).
        function: of some queries and some keys.
        heads: which heads of the answer are wanted; ``None`` is all.
    """

    function: Callable[[Tensor, Tensor], Tensor]
    heads: Tensor | None = None
    closed = False

    def of_heads(self, heads: Int[Tensor, " h"]) -> "Called":
        """All heads are asked, since each may have parameters of its own."""
        return replace(self, heads=heads)

    def tile(
        self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile
    ) -> Float[Tensor, "*B r c"]:
        """The function's answer."""
        scores = self._answer(rows[0], columns[0])
        return scores if self.heads is None else take_heads(scores, self.heads)

    def fast_tile(
        self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile
    ) -> Float[Tensor, "*B r c"]:
        """The same answer, some rows at a time, computed again in the backward pass."""
        (query,), (key,) = rows, columns
        leading = broadcast_shapes(query.shape[:-2], key.shape[:-2])
        size = max(1, HELD // max(1, prod(leading) * key.shape[-2] * query.shape[-1]))
        if query.shape[-2] <= size:
            return self.tile(rows, columns, shared, at)
        pieces = [
            checkpoint(self.tile, (piece,), columns, shared, at, use_reentrant=False)
            for piece in query.split(size, dim=-2)
        ]
        return torch.cat(pieces, dim=-2)

    def _answer(self, query: Tensor, key: Tensor) -> Float[Tensor, "*B r c"]:
        scores = self.function(query, key)
        if not isinstance(scores, Tensor) or not scores.is_floating_point():
            came = scores.dtype if isinstance(scores, Tensor) else type(scores).__name__
            raise DtypeError(f"score needs a function that returns scores as a tensor, got {came}")
        leading = broadcast_shapes(query.shape[:-2], key.shape[:-2])
        wanted = (*leading, query.shape[-2], key.shape[-2])
        fits = scores.shape[-2:] == wanted[-2:] and len(scores.shape) <= len(wanted)
        if not fits or any(
            size not in (1, full)
            for size, full in zip(scores.shape[::-1], wanted[::-1], strict=False)
        ):
            raise ShapeError(
                f"score needs a function that returns one number for each pair, {wanted}, of "
                f"queries {tuple(query.shape)} and keys {tuple(key.shape)}, got "
                f"{tuple(scores.shape)}"
            )
        return scores.to(query.dtype).expand(wanted)
