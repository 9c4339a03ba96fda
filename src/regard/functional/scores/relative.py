"""A learned bias by relative position."""

from dataclasses import dataclass

from regard.errors import DtypeError, ShapeError
from regard.types import Float, Int, Tensor

from ..forms import Form, Positional, Tile, Vectors, leading_axes
from .base import PositionTerm


@dataclass(frozen=True, eq=False, repr=False)
class Relative(PositionTerm):
    r"""One learned number for each distance from −R to R; farther keys share the ends.

    .. math:: b_{hqk} = T_{h,\ \mathrm{clip}(k - q, -R, R) + R}

    Shaw et al. 2018 clip this way (https://arxiv.org/abs/1803.02155); the bias enters the score as
    in Raffel et al. 2020 (https://arxiv.org/abs/1910.10683).

    Args:
        table: T, (2R + 1,) for all heads, or (H, 2R + 1).
    """

    table: Tensor

    name = "relative"
    step = "s = table[j − i]"

    def __post_init__(self) -> None:
        if not isinstance(self.table, Tensor) or not self.table.is_floating_point():
            raise DtypeError("relative needs table as a floating-point tensor")
        if self.table.dim() not in (1, 2) or self.table.shape[-1] % 2 == 0:
            raise ShapeError(
                "relative needs table of shape (2R + 1,) or (H, 2R + 1), an odd number of "
                f"distances, got {tuple(self.table.shape)}"
            )

    def check(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> None:
        """A table per head needs the heads before the positions."""
        heads = self.table.shape[0] if self.table.dim() == 2 else 1
        found = max((x.shape[-3] if x.dim() > 2 else 1) for x in (query, key))
        if heads not in (1, found):
            raise ShapeError(
                f"relative needs {heads} heads on the axis before the positions, "
                f"got query {tuple(query.shape)} and key {tuple(key.shape)}"
            )

    def form(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> Form:
        """A look-up by clipped distance."""
        return _Lookup(self.table.to(query), leading_axes(query, key))


class _Lookup(Positional):
    def __init__(self, table: Float[Tensor, "*H R"], leading: tuple[int, ...]) -> None:
        super().__init__(leading, shared=(table,))

    def of_heads(self, heads: Int[Tensor, " h"]) -> Form:
        (table,) = self.shared
        shared = table.dim() == 1 or len(table) == 1
        return _Lookup(table if shared else table[heads], self.leading_of(heads))

    def term(self, rows: Vectors, shared: Vectors, at: Tile) -> Float[Tensor, "*B r c"]:
        (table,) = shared
        reach = table.shape[-1] // 2
        return table[..., at.offsets.clamp(-reach, reach) + reach]
