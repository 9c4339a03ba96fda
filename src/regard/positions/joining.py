"""How positions come to the vectors they belong to: added, or side by side."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Literal

import torch
from torch import nn

from regard.errors import DtypeError, RangeError, ShapeError
from regard.functional.value import require_whole
from regard.registry import Registry
from regard.types import Float, Int, Tensor

Join = Literal["add", "concatenate"]
"""``"add"`` keeps the width; ``"concatenate"`` puts the positions behind the features."""


def _add(x: Tensor, table: Tensor, owner: str) -> Tensor:
    if x.shape[-1] != table.shape[-1]:
        raise ShapeError(
            f"{owner} needs vectors of its own width {table.shape[-1]} to be added to, got "
            f"{tuple(x.shape)}; make it as wide as they are, or pass join='concatenate'"
        )
    return x + table


def _concatenate(x: Tensor, table: Tensor, owner: str) -> Tensor:
    return torch.cat([x, table.expand(*x.shape[:-1], -1)], dim=-1)


_joins: Registry[Callable[[Tensor, Tensor, str], Tensor]] = Registry("join")
_joins.add("add", _add)
_joins.add("concatenate", _concatenate)


class InputPosition(nn.Module):
    """Positions that the input carries: one vector per position, joined to what stands there.

    Args:
        dim: M, width of the vector of a position.
        join: ``"add"`` or ``"concatenate"``.
    """

    num_positions: int | None = None
    """How many positions there are; ``None`` if none is the last."""

    def __init__(self, dim: int, *, join: Join = "add") -> None:
        super().__init__()
        _ = _joins[join]
        self.dim, self.join = dim, join

    @abstractmethod
    def encode(self, positions: Int[Tensor, "*N"]) -> Float[Tensor, "*N M"]:
        """The vectors of these positions, whatever their order; in any precision."""

    def forward(self, x: Float[Tensor, "*B N D"], start: int = 0) -> Float[Tensor, "*B N E"]:
        """Vectors that know where they stand, in the dtype of ``x``.

        Args:
            x: vectors in order.
            start: position of the first of them.

        Raises:
            ShapeError: no axis of positions, or a width that cannot be added to.
            DtypeError: ``x`` is not floating point.
            RangeError: positions beyond a learned table.
        """
        owner = type(self).__name__
        require_whole(owner, "start", start)
        _require_vectors(owner, x)
        stop = start + x.shape[-2]
        if self.num_positions is not None and not 0 <= start <= stop <= self.num_positions:
            raise RangeError(
                f"{owner} needs positions from 0 to {self.num_positions - 1}, the end of its "
                f"table, got {start} to {stop - 1}; make the table longer, or use sinusoidal "
                "positions, of which none is the last"
            )
        table = self.encode(torch.arange(start, stop, device=x.device))
        return _joins[self.join](x, table.to(x.dtype), owner)

    def extra_repr(self) -> str:
        """Width and join."""
        return f"{self.dim}, join={self.join!r}"


def _require_vectors(owner: str, x: Tensor) -> None:
    if x.dim() < 2:
        raise ShapeError(f"{owner} needs vectors (*B, N, M) in order, got {tuple(x.shape)}")
    if not x.is_floating_point():
        raise DtypeError(f"{owner} needs floating-point vectors, got {x.dtype}; embed tokens first")
