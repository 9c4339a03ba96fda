"""Inner products: the form that runs on fused kernels."""

from dataclasses import dataclass, replace

import torch
from torch.nn.functional import pad

from regard.types import Float, Int, Tensor

from ..broadcast import broadcast_shapes
from .base import At, Form, Vectors, take_heads


@dataclass(eq=False)
class Inner(Form):
    r"""Inner product of projected vectors, with an optional term per key.

    .. math:: e_{qk} = \text{scale} \cdot \langle q_q, k_k \rangle + b_k

    Args:
        query: projected queries (*B, Q, D).
        key: projected keys (*B, K, D).
        scale: one number.
        key_bias: b, (*B, K), or ``None``.
    """

    query: Tensor
    key: Tensor
    scale: float = 1.0
    key_bias: Tensor | None = None

    @property
    def rows(self) -> Vectors:  # type: ignore[override]
        """The queries."""
        return (self.query,)

    @property
    def columns(self) -> Vectors:  # type: ignore[override]
        """The keys, and the bias of each as a vector of width one."""
        return (self.key,) if self.key_bias is None else (self.key, self.key_bias.unsqueeze(-1))

    def of_heads(self, heads: Int[Tensor, " h"]) -> "Inner":
        """The vectors of these heads."""
        bias = self.key_bias
        if bias is not None:
            bias = take_heads(bias.unsqueeze(-2), heads).squeeze(-2)
        query, key = take_heads(self.query, heads), take_heads(self.key, heads)
        return replace(self, query=query, key=key, key_bias=bias)

    def tile(
        self, rows: Vectors, columns: Vectors, shared: Vectors, at: At
    ) -> Float[Tensor, "*B r c"]:
        """One matrix product, scaled on its smaller side."""
        query, key = rows[0], columns[0]
        if key.shape[-2] < query.shape[-1]:
            scores = torch.matmul(query, key.mT) * self.scale
        else:
            scores = torch.matmul(query * self.scale, key.mT)
        return scores if len(columns) == 1 else scores + columns[1].mT

    def joined(self, other: "Inner") -> "Inner":
        """The sum of two inner products: an inner product of concatenated vectors."""
        return Inner(
            _side_by_side(self.query * self.scale, other.query * other.scale),
            _side_by_side(self.key, other.key),
            1.0,
            _total(self.key_bias, other.key_bias),
        )

    def columned(self) -> "Inner":
        """The same scores with the term per key as one more column, which carries its gradient."""
        if self.key_bias is None:
            return self
        query = pad(self.query, (0, 1), value=1 / self.scale)
        return Inner(query, _side_by_side(self.key, self.key_bias.unsqueeze(-1)), self.scale)

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
