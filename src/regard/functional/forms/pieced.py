"""Forms that would build a vector for every pair, and hold only some of them at once."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod

import torch
from torch.utils.checkpoint import checkpoint

from regard.errors import DtypeError, ShapeError
from regard.types import Float, Int, Tensor

from ..tensors import broadcasts
from .base import Pairs, Sided, Tile, Vectors, leading_axes, take_heads

HELD = 2**22
"""Numbers that a call of a user's function may build, if it builds a vector as wide as the query
for every pair."""

TILE = 2**20
"""Hidden numbers of gated scores held at once."""


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

    def tile(self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile) -> Pairs:
        """The function's answer."""
        scores = self._answer(rows[0], columns[0])
        return scores if self.heads is None else take_heads(scores, self.heads)

    def fast_tile(self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile) -> Pairs:
        """The same answer, some rows at a time, computed again in the backward pass."""
        (query,), (key,) = rows, columns
        leading = leading_axes(query, key)
        size = max(1, HELD // max(1, prod(leading) * key.shape[-2] * query.shape[-1]))
        if query.shape[-2] <= size:
            return self.tile(rows, columns, shared, at)
        pieces = [
            checkpoint(self.tile, (piece,), columns, shared, at, use_reentrant=False)
            for piece in query.split(size, dim=-2)
        ]
        return torch.cat(pieces, dim=-2)

    def _answer(self, query: Tensor, key: Tensor) -> Pairs:
        scores = self.function(query, key)
        if not isinstance(scores, Tensor) or not scores.is_floating_point():
            came = scores.dtype if isinstance(scores, Tensor) else type(scores).__name__
            raise DtypeError(f"score needs a function that returns scores as a tensor, got {came}")
        wanted = (*leading_axes(query, key), query.shape[-2], key.shape[-2])
        if scores.shape[-2:] != wanted[-2:] or not broadcasts(scores.shape, wanted):
            raise ShapeError(
                f"score needs a function that returns one number for each pair, {wanted}, of "
                f"queries {tuple(query.shape)} and keys {tuple(key.shape)}, got "
                f"{tuple(scores.shape)}"
            )
        return scores.to(query.dtype).expand(wanted)


@dataclass(frozen=True, eq=False)
class GatedTanh(Sided):
    r"""A weighted sum of hyperbolic tangents, each behind a gate.

    .. math:: e_{qk} = \sum_a v_a \tanh(q_{qa} + k_{ka}) \, \sigma(q'_{qa} + k'_{ka})

    Args:
        query: projected queries (*B, Q, 2 A), what is under the tanh first, the gates after it.
        key: projected keys (*B, K, 2 A), likewise.
        weight: v, (A,).
    """

    weight: Tensor

    @property
    def shared(self) -> Vectors:
        """The weight of each hidden feature."""
        return (self.weight,)

    def tile(self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile) -> Pairs:
        """The equation as it stands: builds two tensors of rows × columns × features."""
        (weight,) = shared
        return _definition(*_halves(rows[0]), *_halves(columns[0]), weight)

    def fast_tile(self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile) -> Pairs:
        """The same numbers, some features at a time, computed again in the backward pass."""
        (query,), (key,), (weight,) = rows, columns, shared
        leading = leading_axes(query, key)
        pairs = prod(leading) * query.shape[-2] * key.shape[-2]
        size = max(1, TILE // max(1, pairs))
        if weight.shape[0] <= size:
            return self.tile(rows, columns, shared, at)
        parts = (*_halves(query), *_halves(key), weight)
        scores = query.new_zeros(*leading, query.shape[-2], key.shape[-2])
        for features in zip(*(part.split(size, dim=-1) for part in parts), strict=True):
            scores = scores + checkpoint(
                _definition, *features, use_reentrant=False, preserve_rng_state=False
            )
        return scores


def _halves(vectors: Float[Tensor, "*B n W"]) -> tuple[Tensor, Tensor]:
    hidden, gate = vectors.chunk(2, dim=-1)
    return hidden, gate


def _definition(
    query: Float[Tensor, "*#B r a"],
    query_gate: Float[Tensor, "*#B r a"],
    key: Float[Tensor, "*#B c a"],
    key_gate: Float[Tensor, "*#B c a"],
    weight: Float[Tensor, " a"],
) -> Pairs:
    """The sum over features of weight · tanh · gate, for all pairs."""
    hidden = torch.tanh(query.unsqueeze(-2) + key.unsqueeze(-3))  # (*B, r, c, a)
    gate = torch.sigmoid(query_gate.unsqueeze(-2) + key_gate.unsqueeze(-3))
    return (hidden * gate) @ weight
