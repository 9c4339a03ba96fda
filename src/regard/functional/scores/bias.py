"""A number for every pair."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from regard.errors import DtypeError, ShapeError
from regard.types import Float, Int, Tensor

from ..forms import Form, Positional, Tile, Vectors, leading_axes, take_heads
from .base import PositionTerm, Score

if TYPE_CHECKING:
    from ..masks import Mask


@dataclass(frozen=True, eq=False, repr=False)
class Bias(PositionTerm):
    r"""A given number for each pair of positions, learned or computed from something else.

    .. math:: b_{hqk} = \text{bias}_{hqk}

    The pair bias of Jumper et al. 2021, supplement, algorithm 7
    (https://doi.org/10.1038/s41586-021-03819-2), is one. ``score + tensor`` is the same as
    ``score + Bias(tensor)``. The gradient flows into ``bias``. One row for all queries, (…, 1, K),
    is a number per key, so it runs fused. Numbers must be finite: pairs that may not attend belong
    into a mask.

    Args:
        bias: b, anything that broadcasts to the scores (*B, Q, K): (H, Q, K) is the same for all
            of a batch, (K,) the same for all queries.
    """

    bias: Tensor

    name = "bias"
    step = "s = b[i, j]"

    def __post_init__(self) -> None:
        if not isinstance(self.bias, Tensor) or not self.bias.is_floating_point():
            came = self.bias.dtype if isinstance(self.bias, Tensor) else type(self.bias).__name__
            raise DtypeError(
                f"bias needs a floating-point tensor (*B, Q, K), got {came}; booleans are a mask"
            )
        if self.bias.dim() < 2:  # one number for each key, or for all pairs
            object.__setattr__(self, "bias", self.bias.expand(1, *self.bias.shape or (1,)))

    def tensors(self) -> list[Tensor]:
        """The numbers; a single one may be anywhere."""
        return [self.bias] if self.bias.numel() != 1 else []

    def check(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> None:
        """It must broadcast to the scores."""
        wanted = (*leading_axes(query, key), query.shape[-2], key.shape[-2])
        own = tuple(self.bias.shape)
        if len(own) > len(wanted) or any(
            size not in (1, full) for size, full in zip(own[::-1], wanted[::-1], strict=False)
        ):
            raise ShapeError(
                f"bias needs a tensor that broadcasts to the scores {wanted}, got {own}"
            )

    def form(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> Form:
        """A look-up by row and column."""
        sizes = (*self.bias.shape[:-2], query.shape[-2], key.shape[-2])
        return _Pairwise(self.bias.to(query).expand(sizes), leading_axes(query, key))

    def shifted(self, queries: int, keys: int = 0) -> Score:
        """The numbers of the later queries and keys."""
        rows = slice(None) if self.bias.shape[-2] == 1 else slice(queries, None)
        columns = slice(None) if self.bias.shape[-1] == 1 else slice(keys, None)
        return _Reaching(self.bias[..., rows, columns])

    def is_key_bias(self, mask: "Mask | None" = None) -> bool:
        """Where all queries share one row."""
        return self.bias.shape[-2] == 1

    def key_bias(
        self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]
    ) -> Float[Tensor, "... K"]:
        """That row."""
        wide = torch.promote_types(query.dtype, torch.float32)
        row = self.bias.to(device=query.device, dtype=wide).squeeze(-2)
        return row.expand(*row.shape[:-1], key.shape[-2])


class _Reaching(Bias):
    """A bias that may go on behind the queries and keys there are, as in a step with a cache."""

    def check(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> None:
        self._cut(query, key).check(query, key)

    def form(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> Form:
        return self._cut(query, key).form(query, key)

    def key_bias(
        self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]
    ) -> Float[Tensor, "... K"]:
        return self._cut(query, key).key_bias(query, key)

    def _cut(self, query: Tensor, key: Tensor) -> Bias:
        return Bias(self.bias[..., : query.shape[-2], : key.shape[-2]])


class _Pairwise(Positional):
    """The numbers of a query are a vector of its own, as wide as there are keys."""

    def __init__(self, bias: Float[Tensor, "*B Q K"], leading: tuple[int, ...]) -> None:
        super().__init__(leading, rows=(bias,))

    def of_heads(self, heads: Int[Tensor, " h"]) -> Form:
        return _Pairwise(take_heads(self.rows[0], heads), self.leading_of(heads))

    def term(self, rows: Vectors, shared: Vectors, at: Tile) -> Float[Tensor, "*B r c"]:
        (bias,) = (x.mT for x in at.take_columns((rows[0].mT,)))
        return bias
