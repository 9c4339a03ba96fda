"""The four maps of multi-head attention as plain matrices: what all libraries agree on."""

from typing import Any, NamedTuple

import torch
from torch import nn

from regard.errors import ChoiceError, DtypeError, ShapeError
from regard.types import Float, Tensor

from ..multihead.attention import MultiHeadAttention
from ..multihead.projections import JointProjection, NormedProjection, SeparateProjection


class Linear(NamedTuple):
    """y = W x + b."""

    weight: Float[Tensor, "out in"]
    bias: Float[Tensor, " out"] | None = None


class Linears(NamedTuple):
    """The maps of queries, keys, values and output, heads side by side."""

    query: Linear
    key: Linear
    value: Linear
    output: Linear


def linears_of(attention: MultiHeadAttention) -> Linears:
    """The maps of ``attention``, without history; they share its memory."""
    if not isinstance(attention, MultiHeadAttention):
        raise DtypeError(
            f"weights go in and out of regard.nn.MultiHeadAttention, got {type(attention).__name__}"
        )
    projections = attention.in_proj
    if isinstance(projections, NormedProjection):
        projections = projections.projection
    if isinstance(projections, JointProjection):
        weights = projections.weight.detach().split(projections.sizes)
        bias = projections.bias
        biases = (None,) * 3 if bias is None else bias.detach().split(projections.sizes)
        query, key, value = (Linear(w, b) for w, b in zip(weights, biases, strict=True))
    else:
        assert isinstance(projections, SeparateProjection)
        parts = (projections.query_proj, projections.key_proj, projections.value_proj)
        query, key, value = (_plain(part) for part in parts)
    output = attention.output_proj
    if not isinstance(output, nn.Linear):
        raise ChoiceError(
            f"weights go in and out of MultiHeadAttention, {type(attention).__name__} has no "
            "output_proj"
        )
    return Linears(query, key, value, _plain(output))


def attention_of(
    linears: Linears, num_heads: int, num_key_heads: int | None, **choices: Any
) -> MultiHeadAttention:
    """An attention with these maps.

    Args:
        linears: the maps; where only some have a bias, the others get one of zeros.
        num_heads: H.
        num_key_heads: heads of keys and values; ``None`` reads them off the shapes.
        choices: further arguments of :class:`MultiHeadAttention`.
    """
    query, key, value, output = (part.weight for part in linears)
    head_dim = _divided("num_heads", len(query), num_heads)
    heads = _divided("head_dim", len(key), head_dim) if num_key_heads is None else num_key_heads
    wanted = (heads * head_dim,) * 2, num_heads * head_dim
    if ((len(key), len(value)), output.shape[1]) != wanted:
        raise ShapeError(
            f"{num_heads} query heads and {heads} key heads of width {head_dim} need keys and "
            f"values of {heads * head_dim} and an output map from {num_heads * head_dim}, got "
            f"{len(key)}, {len(value)} and {output.shape[1]}"
        )
    attention = MultiHeadAttention(
        query.shape[1],
        num_heads,
        key_dim=key.shape[1],
        value_dim=value.shape[1],
        num_key_heads=heads,
        head_dim=head_dim,
        output_dim=len(output),
        bias=any(part.bias is not None for part in linears),
        **choices,
    ).to(query)
    with torch.no_grad():
        for own, given in zip(linears_of(attention), linears, strict=True):
            own.weight.copy_(given.weight)
            if own.bias is not None:
                own.bias.copy_(torch.zeros_like(own.bias) if given.bias is None else given.bias)
    return attention


def _plain(linear: nn.Linear) -> Linear:
    bias = linear.bias
    return Linear(linear.weight.detach(), None if bias is None else bias.detach())


def _divided(what: str, width: int, by: int) -> int:
    if by < 1 or width % by:
        raise ShapeError(f"weights of {width} rows need {what} that divides them, got {by}")
    return width // by
