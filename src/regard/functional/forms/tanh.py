"""The form of additive scores."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import torch

from regard.types import Float, Tensor

from .base import At, Vectors
from .sided import Sided
from .tanh_pairing import tanh_pairing


@dataclass(frozen=True, eq=False)
class Tanh(Sided):
    r"""A weighted sum of hyperbolic tangents of sums.

    .. math:: e_{qk} = \sum_a v_a \tanh(q_{qa} + k_{ka})

    Args:
        query: projected queries (*B, Q, A).
        key: projected keys (*B, K, A).
        weight: v, (A,).
    """

    weight: Tensor

    @property
    def shared(self) -> Vectors:  # type: ignore[override]
        """The weight of each hidden feature."""
        return (self.weight,)

    def tile(
        self, rows: Vectors, columns: Vectors, shared: Vectors, at: At
    ) -> Float[Tensor, "*B r c"]:
        """The equation as it stands: builds a tensor of rows × columns × features."""
        return definition(*rows, *columns, *shared)

    def fast_tile(
        self, rows: Vectors, columns: Vectors, shared: Vectors, at: At
    ) -> Float[Tensor, "*B r c"]:
        """The same numbers without the hidden tensor.

        On a CPU from one exponential per vector; on a GPU the definition, fused by the compiler.
        """
        pairing = fused_definition() if rows[0].is_cuda else tanh_pairing
        return pairing(*rows, *columns, *shared)


def definition(
    query: Float[Tensor, "*#B r A"], key: Float[Tensor, "*#B c A"], weight: Float[Tensor, " A"]
) -> Float[Tensor, "*B r c"]:
    """The sum over features of weight · tanh(query + key), for all pairs."""
    hidden = torch.tanh(query.unsqueeze(-2) + key.unsqueeze(-3))  # (*B, r, c, A)
    return hidden @ weight


@cache
def fused_definition() -> Callable[..., Tensor]:
    """The definition as one compiled kernel, which never writes the hidden tensor to memory."""

    def pairing(query: Tensor, key: Tensor, weight: Tensor) -> Tensor:
        return (torch.tanh(query.unsqueeze(-2) + key.unsqueeze(-3)) * weight).sum(-1)

    return torch.compile(pairing, dynamic=True)
