"""Inner products: the form that runs on fused kernels."""

from dataclasses import dataclass, replace

import torch
from torch.nn.functional import pad

from regard.types import Float, Int, Tensor

from ..tensors import broadcast_shapes, widened
from .base import Form, Pairs, Tile, Vectors, take_heads


@dataclass(eq=False)
class Inner(Form):
    r"""Inner product of projected vectors, with an optional term per key.

    .. math:: e_{qk} = \text{scale} \cdot \langle q_q, k_k \rangle + b_k

    Args:
        query: projected queries (*B, Q, D).
        key: projected keys (*B, K, D), of the same dtype.
        scale: one number.
        key_bias: b, (*B, K), in at least float32, or ``None``.
    """

    query: Tensor
    key: Tensor
    scale: float = 1.0
    key_bias: Tensor | None = None

    @property
    def rows(self) -> Vectors:
        """The queries."""
        return (self.query,)

    @property
    def columns(self) -> Vectors:
        """The keys, and the bias of each as a vector of width one."""
        return (self.key,) if self.key_bias is None else (self.key, self.key_bias.unsqueeze(-1))

    def as_inner(self) -> "Inner":
        """Itself."""
        return self

    def of_heads(self, heads: Int[Tensor, " h"]) -> "Inner":
        """The vectors of these heads."""
        bias = self.key_bias
        if bias is not None:
            bias = take_heads(bias.unsqueeze(-2), heads).squeeze(-2)
        query, key = take_heads(self.query, heads), take_heads(self.key, heads)
        return replace(self, query=query, key=key, key_bias=bias)

    def tile(self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile) -> Pairs:
        """One matrix product, scaled on its smaller side."""
        query, key = rows[0], columns[0]
        if key.shape[-2] < query.shape[-1]:
            scores = torch.matmul(query, key.mT) * self.scale
        else:
            scores = torch.matmul(query * self.scale, key.mT)
        return scores if len(columns) == 1 else scores + columns[1].mT

    def joined(self, other: "Inner") -> "Inner":
        """The sum of two inner products: one of concatenated vectors, in at least float32."""
        return Inner(
            _side_by_side(widened(self.query) * self.scale, widened(other.query) * other.scale),
            _side_by_side(widened(self.key), widened(other.key)),
            1.0,
            _total(self.key_bias, other.key_bias),
        )

    def columned(self) -> "Inner":
        """The same scores with the term per key as one more column, which carries its gradient.

        In at least float32: half the precision would round the term.
        """
        if self.key_bias is None:
            return self
        query = pad(widened(self.query), (0, 1), value=1 / self.scale)
        key = _side_by_side(widened(self.key), self.key_bias.unsqueeze(-1))
        return Inner(query, key, self.scale)

    def times(self, factor: float | Float[Tensor, "... 1"]) -> "Inner":
        """The same scores times a number, or times one number for each query, (…, Q or 1, 1)."""
        if not isinstance(factor, Tensor):
            bias = None if self.key_bias is None else self.key_bias * factor
            if factor > 0:
                return Inner(self.query, self.key, self.scale * factor, bias)
            # Kernels look for the largest product before they scale it: the scale stays positive.
            turned = self.query * (-1.0 if factor else 0.0)
            return Inner(turned, self.key, self.scale * (abs(factor) or 1.0), bias)
        if self.key_bias is not None and factor.shape[-2] > 1:
            return self.columned().times(factor)
        query = (widened(self.query) * factor).to(self.query.dtype)  # rounded once
        bias = None if self.key_bias is None else self.key_bias * factor.squeeze(-1)
        return Inner(query, self.key, self.scale, bias)

    def biased(self, bias: Float[Tensor, "... K"]) -> "Inner":
        """The same inner product with one more term per key."""
        return Inner(self.query, self.key, self.scale, _total(self.key_bias, bias))


def _total(first: Tensor | None, second: Tensor | None) -> Tensor | None:
    if first is None or second is None:
        return first if second is None else second
    return first + second


def _side_by_side(first: Tensor, second: Tensor) -> Tensor:
    leading = broadcast_shapes(first.shape[:-1], second.shape[:-1])
    return torch.cat([first.expand(*leading, -1), second.expand(*leading, -1)], dim=-1)
