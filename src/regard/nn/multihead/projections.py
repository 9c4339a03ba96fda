"""The maps into the heads: one matrix where one tensor feeds all three, else three."""

from typing import Protocol

import torch
from torch import nn
from torch.nn.functional import linear

from regard.errors import RangeError
from regard.types import Float, Tensor


class Projections(Protocol):
    """Queries, keys and values, heads still side by side."""

    def query(self, x: Float[Tensor, "*B Q M"]) -> Float[Tensor, "*B Q HD"]:
        """Queries alone."""

    def key(self, keys: Float[Tensor, "*B K Dk"]) -> Float[Tensor, "*B K GD"]:
        """Keys alone."""

    def key_value(
        self, keys: Float[Tensor, "*B K Dk"], values: Float[Tensor, "*B K E"]
    ) -> tuple[Tensor, Tensor]:
        """Keys and values, of one tensor or of two."""


class JointProjection(nn.Module):
    """W_Q, W_K and W_V as the rows of one matrix: self attention is one product."""

    def __init__(self, model_dim: int, *, query_out: int, key_out: int, bias: bool) -> None:
        super().__init__()
        self.sizes = (query_out, key_out, key_out)
        self.weight = nn.Parameter(torch.empty(query_out + 2 * key_out, model_dim))
        self.bias = nn.Parameter(torch.zeros(len(self.weight))) if bias else None
        for rows in self.weight.detach().split(self.sizes):
            nn.init.xavier_uniform_(rows)

    def all(self, x: Float[Tensor, "*B N M"]) -> tuple[Tensor, Tensor, Tensor]:
        """One product, three views of it."""
        query, key, value = linear(x, self.weight, self.bias).split(self.sizes, dim=-1)
        return query, key, value

    def query(self, x: Float[Tensor, "*B Q M"]) -> Float[Tensor, "*B Q HD"]:
        """The first rows."""
        return self._rows(x, 0, self.sizes[0])

    def key(self, keys: Float[Tensor, "*B K Dk"]) -> Float[Tensor, "*B K GD"]:
        """The rows in the middle."""
        return self._rows(keys, self.sizes[0], sum(self.sizes[:2]))

    def key_value(
        self, keys: Float[Tensor, "*B K Dk"], values: Float[Tensor, "*B K E"]
    ) -> tuple[Tensor, Tensor]:
        """The other rows, in one product if both are of one tensor."""
        if keys is values:
            key, value = self.pairs(keys).split(self.sizes[1:], dim=-1)
            return key, value
        return self.key(keys), self._rows(values, sum(self.sizes[:2]), None)

    def pairs(self, keys: Float[Tensor, "*B K Dk"]) -> Float[Tensor, "*B K GD2"]:
        """Keys and values, side by side."""
        return self._rows(keys, self.sizes[0], None)

    def _rows(self, x: Tensor, start: int, stop: int | None) -> Tensor:
        bias = None if self.bias is None else self.bias[start:stop]
        return linear(x, self.weight[start:stop], bias)


class SeparateProjection(nn.Module):
    """W_Q, W_K and W_V for queries, keys and values of different widths."""

    def __init__(
        self,
        model_dim: int,
        *,
        key_dim: int,
        value_dim: int,
        query_out: int,
        key_out: int,
        bias: bool,
    ) -> None:
        super().__init__()
        self.query_proj = nn.Linear(model_dim, query_out, bias=bias)
        self.key_proj = nn.Linear(key_dim, key_out, bias=bias)
        self.value_proj = nn.Linear(value_dim, key_out, bias=bias)
        for proj in (self.query_proj, self.key_proj, self.value_proj):
            nn.init.xavier_uniform_(proj.weight)
            if bias:
                nn.init.zeros_(proj.bias)

    def query(self, x: Float[Tensor, "*B Q M"]) -> Float[Tensor, "*B Q HD"]:
        """W_Q x."""
        return self.query_proj(x)

    def key(self, keys: Float[Tensor, "*B K Dk"]) -> Float[Tensor, "*B K GD"]:
        """W_K k."""
        return self.key_proj(keys)

    def key_value(
        self, keys: Float[Tensor, "*B K Dk"], values: Float[Tensor, "*B K E"]
    ) -> tuple[Tensor, Tensor]:
        """W_K k and W_V v."""
        return self.key_proj(keys), self.value_proj(values)


def input_projection(
    widths: tuple[int, int, int], *, query_out: int, key_out: int, bias: bool
) -> JointProjection | SeparateProjection:
    """The maps from queries, keys and values of these widths: joint where the widths are one."""
    model_dim, key_dim, value_dim = widths
    if model_dim == key_dim == value_dim:
        return JointProjection(model_dim, query_out=query_out, key_out=key_out, bias=bias)
    return SeparateProjection(
        model_dim,
        key_dim=key_dim,
        value_dim=value_dim,
        query_out=query_out,
        key_out=key_out,
        bias=bias,
    )


def output_projection(width: int, output_dim: int, *, bias: bool) -> nn.Linear:
    """W_O, whose bias begins at zero."""
    proj = nn.Linear(width, output_dim, bias=bias)
    if bias:
        nn.init.zeros_(proj.bias)
    return proj


def width_of_heads(model_dim: int, num_heads: int) -> int:
    """The width of a head where all together are as wide as the model."""
    if num_heads >= 1 and model_dim % num_heads:
        raise RangeError(
            f"MultiHeadAttention needs num_heads that divide model_dim {model_dim}, got "
            f"{num_heads}; or say head_dim"
        )
    return model_dim // max(1, num_heads)


def require_groups(num_heads: int, num_key_heads: int) -> None:
    """Raise unless every head of keys is shared by as many query heads."""
    if num_heads % num_key_heads:
        raise RangeError(
            f"MultiHeadAttention needs num_key_heads that divide num_heads {num_heads}, got "
            f"{num_key_heads}"
        )


def require_dropout(owner: str, dropout: float) -> None:
    """Raise unless ``dropout`` is a probability below 1."""
    if not 0 <= dropout < 1:
        raise RangeError(f"{owner} needs a dropout of at least 0 and below 1, got {dropout}")


class NormedProjection(nn.Module):
    r"""Maps into the heads whose queries and keys are normalised, so that scores stay bounded.

    .. math:: q = \text{norm}_q(W_Q x), \quad k = \text{norm}_k(W_K z), \quad v = W_V z

    Henry et al. 2020 (https://arxiv.org/abs/2010.04245); Dehghani et al. 2023, section 2
    (https://arxiv.org/abs/2302.05442). Positions turn queries and keys after it.

    Args:
        projection: W_Q, W_K and W_V.
        query_norm: what is applied to queries, (*B, N, H, D), or (*B, N, H D) without ``head_dim``.
        key_norm: what is applied to keys, likewise.
        head_dim: D, where every head is normalised for itself; ``None`` is all of them together.
    """

    def __init__(
        self,
        projection: JointProjection | SeparateProjection,
        query_norm: nn.Module,
        key_norm: nn.Module,
        *,
        head_dim: int | None = None,
    ) -> None:
        super().__init__()
        self.projection = projection
        self.query_norm, self.key_norm, self.head_dim = query_norm, key_norm, head_dim

    def query(self, x: Float[Tensor, "*B Q M"]) -> Float[Tensor, "*B Q HD"]:
        """Queries, normalised."""
        return self._normed(self.query_norm, self.projection.query(x))

    def key(self, keys: Float[Tensor, "*B K Dk"]) -> Float[Tensor, "*B K GD"]:
        """Keys, normalised."""
        return self._normed(self.key_norm, self.projection.key(keys))

    def key_value(
        self, keys: Float[Tensor, "*B K Dk"], values: Float[Tensor, "*B K E"]
    ) -> tuple[Tensor, Tensor]:
        """Keys, normalised, and values as they are."""
        key, value = self.projection.key_value(keys, values)
        return self._normed(self.key_norm, key), value

    def _normed(self, norm: nn.Module, x: Float[Tensor, "*B N HD"]) -> Float[Tensor, "*B N HD"]:
        if self.head_dim is None:
            return norm(x)
        return norm(x.unflatten(-1, (-1, self.head_dim))).flatten(-2)
