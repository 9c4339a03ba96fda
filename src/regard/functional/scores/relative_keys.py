"""A learned vector by relative position, paired with the query."""

from dataclasses import dataclass

import torch

from regard.errors import ShapeError
from regard.types import Float, Int, Tensor

from ..forms import Form, Positional, Tile, Vectors, leading_axes, take_heads
from .base import PositionTerm, require_parameter, require_positive


@dataclass(frozen=True, eq=False, repr=False)
class RelativeKeys(PositionTerm):
    r"""One learned vector for each distance from −R to R, which the query is multiplied with.

    .. math:: b_{qk} = \text{scale} \cdot \langle q_q, a_{\mathrm{clip}(k - q, -R, R)} \rangle

    Shaw et al. 2018, the second term of Eq. 5 (https://arxiv.org/abs/1803.02155); added to
    :class:`ScaledDot` it is their score. Theirs → ours: :math:`w^K` → ``table``, k → R. Each query
    meets the table once, O(Q R D); a pair costs one look-up.

    Differs from the paper: values get no vectors of their own. The authors' ablation (section 4.3)
    found those of the keys enough for translation.

    Args:
        table: a, (2R + 1, D), from the distance −R to R; all heads share it.
        scale: the factor; ``None`` is 1/√D, as in :class:`ScaledDot`.
    """

    table: Tensor
    scale: float | None = None

    name = "relative_keys"
    step = "s = scale · q·a[j − i]"

    def __post_init__(self) -> None:
        require_parameter(self.name, "table", self.table, ("2R + 1", "D"))
        if self.table.shape[0] % 2 == 0:
            raise ShapeError(
                "relative_keys needs table of shape (2R + 1, D), an odd number of distances, "
                f"got {tuple(self.table.shape)}"
            )
        if self.scale is not None:
            require_positive(self.name, "scale", self.scale)

    def check(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> None:
        """The vectors are as wide as the queries."""
        if self.table.shape[-1] != query.shape[-1]:
            raise ShapeError(
                f"relative_keys needs table as wide as the query, {query.shape[-1]}, "
                f"got {tuple(self.table.shape)}"
            )

    def form(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> Form:
        """The product of each query with the whole table, then a look-up by clipped distance."""
        width = query.shape[-1]
        default = width**-0.5 if width else 1.0
        scale = default if self.scale is None else self.scale
        products = torch.matmul(query * scale, self.table.to(query).mT)  # (*B, Q, 2R + 1)
        return _Lookup(products, leading_axes(query, key))


class _Lookup(Positional):
    def __init__(self, products: Float[Tensor, "*B Q R"], leading: tuple[int, ...]) -> None:
        super().__init__(leading, rows=(products,))

    def of_heads(self, heads: Int[Tensor, " h"]) -> Form:
        return _Lookup(take_heads(self.rows[0], heads), self.leading_of(heads))

    def term(self, rows: Vectors, shared: Vectors, at: Tile) -> Float[Tensor, "*B r c"]:
        (products,) = rows
        reach = products.shape[-1] // 2
        places = at.offsets.clamp(-reach, reach) + reach
        return products.gather(-1, places.expand(*products.shape[:-2], -1, -1))
