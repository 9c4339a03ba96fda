"""Positions on a grid, such as the patches of an image."""

from collections.abc import Callable
from typing import Literal

import torch

from regard.errors import RangeError
from regard.functional.value import require_sizes
from regard.mechanism import mechanism
from regard.papers import DOSOVITSKIY_2021
from regard.registry import Registry
from regard.types import Float, Int, Tensor

from .joining import InputPosition, Join
from .learned import Learned, Linear
from .sinusoidal import Sinusoidal, require_base, waves

Kind = Literal["sinusoidal", "learned", "linear"]


def grid2d(
    height: int,
    width: int,
    dim: int,
    *,
    base: float = 10000.0,
    dtype: torch.dtype | None = None,
    device: torch.device | str | None = None,
) -> Float[Tensor, "cells M"]:
    r"""Sinusoidal positions of a grid, row by row from the top: one vector per cell.

    .. math:: G_{(y, x)} = [PE^{M/2}_y;\ PE^{M/2}_x]

    The first half of the features says which row, the second which column; each is
    :func:`regard.positions.sinusoidal` of half the width. Parmar et al. 2018, section 3
    (https://arxiv.org/abs/1802.05751), halve the width in this way.

    Args:
        height: rows of the grid.
        width: columns of the grid.
        dim: M, the width of the vectors; even.
        base: as in :func:`regard.positions.sinusoidal`.
        dtype: of the table; ``None`` is torch's default.
        device: of the table.

    Raises:
        RangeError: a size below 1, or an odd ``dim``.
    """
    require_sizes("grid2d", height=height, width=width)
    require_base("grid2d", base)
    half = _half("grid2d", dim)
    cells = torch.arange(height * width, device=device)
    rows = waves(cells // width, dim=half, base=base)
    columns = waves(cells % width, dim=half, base=base)
    return torch.cat([rows, columns], dim=-1).to(dtype or torch.get_default_dtype())


_axes: Registry[Callable[[int, int], InputPosition]] = Registry("kind of axis")
_axes.add("sinusoidal", lambda length, dim: Sinusoidal(dim))
_axes.add("learned", lambda length, dim: Learned(length, dim))
_axes.add("linear", lambda length, dim: Linear(dim))


@mechanism(
    "two-dimensional positions",
    family="positions",
    equation="PE(y, x) = [PE(y); PE(x)]",
    cost="O(N M)",
    paper=DOSOVITSKIY_2021,
)
class Grid2d(InputPosition):
    r"""Where a token stands in an image: half of the features for its row, half for its column.

    .. math:: G_{(y, x)} = [R_y;\ C_x], \quad y = \lfloor p / W \rfloor, \ x = p \bmod W

    For tokens (*B, H·W, M) in reading order; ``start`` is the first cell, for images that are
    generated cell by cell. Sinusoidal and linear axes go on below the last row, learned ones end
    there. One free vector per cell, as in ViT, is ``Learned(height * width, dim)``. A class token
    stands nowhere: put it before the cells after this. O(N M).

    Args:
        height: H, rows of the grid.
        width: W, columns of the grid.
        dim: M, width of the vector of a cell; even.
        kind: what each axis is: ``"sinusoidal"``, ``"learned"`` or ``"linear"``.
        join: ``"add"`` or ``"concatenate"``.
    """

    def __init__(
        self,
        height: int,
        width: int,
        dim: int,
        *,
        kind: Kind = "sinusoidal",
        join: Join = "add",
    ) -> None:
        require_sizes("Grid2d", height=height, width=width)
        half = _half("Grid2d", dim)
        super().__init__(dim, join=join)
        self.height, self.width = height, width
        self.rows, self.columns = _axes[kind](height, half), _axes[kind](width, half)
        if self.rows.num_positions is not None:
            self.num_positions = height * width

    def encode(self, positions: Int[Tensor, "*N"]) -> Float[Tensor, "*N M"]:
        """The vectors of these cells, counted in reading order."""
        rows = self.rows.encode(positions.div(self.width, rounding_mode="floor"))
        return torch.cat([rows, self.columns.encode(positions.remainder(self.width))], dim=-1)

    def extra_repr(self) -> str:
        """Grid, width and join."""
        return f"{self.height}, {self.width}, {super().extra_repr()}"


def _half(owner: str, dim: int) -> int:
    require_sizes(owner, dim=dim)
    if dim % 2:
        raise RangeError(
            f"{owner} needs an even dim, half for the row and half for the column, got {dim}"
        )
    return dim // 2
