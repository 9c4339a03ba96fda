"""The form of additive scores."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import torch

from regard.kernels.derivatives import defined_by, transformed
from regard.types import Float, Tensor

from .base import Sided, Tile, Vectors
from .tanh_cached import Looks
from .tanh_definition import definition
from .tanh_pairing import tanh_pairing


@dataclass(frozen=True, eq=False)
class Tanh(Sided):
    r"""A weighted sum of hyperbolic tangents of sums.

    .. math:: e_{qk} = \sum_a v_a \tanh(q_{qa} + k_{ka})

    Args:
        query: projected queries (*B, Q, A).
        key: projected keys (*B, K, A).
        weight: v, (A,).
        looks: where to keep what further looks at the same keys need; nothing is kept if not given.
    """

    weight: Tensor
    looks: Looks | None = None

    @property
    def shared(self) -> Vectors:
        """The weight of each hidden feature."""
        return (self.weight,)

    def tile(
        self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile
    ) -> Float[Tensor, "*B r c"]:
        """The equation as it stands: builds a tensor of rows × columns × features."""
        return definition(*rows, *columns, *shared)

    def fast_tile(
        self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile
    ) -> Float[Tensor, "*B r c"]:
        """The same numbers without the hidden tensor.

        On a CPU from one exponential per vector; on a GPU the definition, fused by the compiler.
        """
        if not rows[0].is_cuda:
            return tanh_pairing(*rows, *columns, *shared, looks=self.looks)
        vectors = (*rows, *columns, *shared)
        if transformed():
            return definition(*vectors)
        return defined_by(definition, fused_definition()(*vectors), *vectors)


@cache
def fused_definition() -> Callable[..., Tensor]:
    """The definition as one compiled kernel, which never writes the hidden tensor to memory."""

    def pairing(query: Tensor, key: Tensor, weight: Tensor) -> Tensor:
        return (torch.tanh(query.unsqueeze(-2) + key.unsqueeze(-3)) * weight).sum(-1)

    return torch.compile(pairing, dynamic=True)
