"""The form of gated additive scores."""

from dataclasses import dataclass
from math import prod

import torch
from torch.utils.checkpoint import checkpoint

from regard.types import Float, Tensor

from ..tensors import broadcast_shapes
from .base import Sided, Tile, Vectors

TILE = 2**20
"""Hidden numbers held at once."""


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

    def tile(
        self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile
    ) -> Float[Tensor, "*B r c"]:
        """The equation as it stands: builds two tensors of rows × columns × features."""
        (weight,) = shared
        return _definition(*_halves(rows[0]), *_halves(columns[0]), weight)

    def fast_tile(
        self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile
    ) -> Float[Tensor, "*B r c"]:
        """The same numbers, some features at a time, computed again in the backward pass."""
        (query,), (key,), (weight,) = rows, columns, shared
        leading = broadcast_shapes(query.shape[:-2], key.shape[:-2])
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
) -> Float[Tensor, "*B r c"]:
    """The sum over features of weight · tanh · gate, for all pairs."""
    hidden = torch.tanh(query.unsqueeze(-2) + key.unsqueeze(-3))  # (*B, r, c, a)
    gate = torch.sigmoid(query_gate.unsqueeze(-2) + key_gate.unsqueeze(-3))
    return (hidden * gate) @ weight
