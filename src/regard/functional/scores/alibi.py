"""Attention with linear biases."""

from dataclasses import dataclass
from math import ceil, log2
from typing import TYPE_CHECKING

import torch

from regard.errors import RangeError, ShapeError
from regard.types import Float, Int, Tensor

from ..forms import Form, Positional, Tile, Vectors, leading_axes
from ..value import require_whole
from .base import PositionTerm

if TYPE_CHECKING:
    from ..masks import Mask


def alibi_slopes(num_heads: int) -> Float[Tensor, " H"]:
    r"""The slope of each head: a geometric sequence from :math:`2^{-8/H}` down to 1/256.

    Where ``num_heads`` is no power of two, the sequence of the power below, then every other
    slope of the power above, as the authors' code does.
    """
    power = 2 ** int(log2(num_heads))
    slopes = _geometric(power)
    if power < num_heads:
        slopes += _geometric(2 ** ceil(log2(num_heads)))[::2][: num_heads - power]
    return torch.tensor(slopes, dtype=torch.float64)


def _geometric(count: int) -> list[float]:
    return [2.0 ** (-8.0 * (i + 1) / count) for i in range(count)]


@dataclass(frozen=True, eq=False, repr=False)
class Alibi(PositionTerm):
    r"""A penalty that grows with the distance, at another rate in every head.

    .. math:: b_{hqk} = -m_h \, |q - k|

    Press et al. 2022, section 3 (https://arxiv.org/abs/2108.12409). Below the diagonal (causal
    masks) it is one number per key plus a row constant, so it runs fused.

    Args:
        num_heads: size of the axis before the queries, (…, H, Q, K).
    """

    num_heads: int

    name = "alibi"
    step = "s = −slope · |i − j|"

    def __post_init__(self) -> None:
        require_whole(self.name, "num_heads", self.num_heads)
        if self.num_heads < 1:
            raise RangeError(f"alibi needs num_heads of at least 1, got {self.num_heads}")

    def check(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> None:
        """The last leading axis must be the heads."""
        heads = max((x.shape[-3] if x.dim() > 2 else 1) for x in (query, key))
        if heads != self.num_heads:
            raise ShapeError(
                f"alibi needs {self.num_heads} heads on the axis before the positions, "
                f"got query {tuple(query.shape)} and key {tuple(key.shape)}"
            )

    def form(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> Form:
        """Slope times distance."""
        return _Distance(alibi_slopes(self.num_heads).to(query), leading_axes(query, key))

    def is_key_bias(self, mask: "Mask | None" = None) -> bool:
        """Below the diagonal."""
        return mask is not None and mask.looks_back

    def key_bias(
        self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]
    ) -> Float[Tensor, "H K"]:
        """m_h (k − K + 1), counted from the last key: numbers stay small where it matters."""
        length = key.shape[-2]
        back = torch.arange(1 - length, 1, device=key.device, dtype=torch.float64)
        bias = alibi_slopes(self.num_heads).to(back).unsqueeze(-1) * back
        return bias.to(torch.promote_types(query.dtype, torch.float32))


class _Distance(Positional):
    def __init__(self, slopes: Float[Tensor, " H"], leading: tuple[int, ...]) -> None:
        super().__init__(leading)
        self.slopes = slopes

    def of_heads(self, heads: Int[Tensor, " h"]) -> Form:
        return _Distance(self.slopes[heads], self.leading_of(heads))

    def term(self, rows: Vectors, shared: Vectors, at: Tile) -> Float[Tensor, "*B r c"]:
        return -self.slopes.view(-1, 1, 1) * at.offsets.abs()
