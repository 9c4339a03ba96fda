"""Heads: vectors cut into equal parts that attend side by side."""

import torch

from regard.errors import ShapeError
from regard.functional import masks
from regard.functional.masks import Mask
from regard.functional.scores import Score, ScoreLike
from regard.types import Bool, Float, Int, Tensor

from .memory import key_mask

ArrayMask = Mask | Bool[Tensor, "... K"] | Int[Tensor, "..."]
"""Which keys may be looked at: a mask, one boolean per key, or the length of every sequence.

Axes before the keys are those of the queries, or some of the first of them.
"""


def split_heads(x: Float[Tensor, "*B N W"], num_heads: int) -> Float[Tensor, "*B H N D"]:
    """Vectors of width H·D as H vectors of width D, the heads before the positions: a view."""
    return x.unflatten(-1, (num_heads, -1)).transpose(-3, -2)


def join_heads(x: Float[Tensor, "*B H N D"]) -> Float[Tensor, "*B N W"]:
    """The heads side by side again."""
    return x.transpose(-3, -2).flatten(-2)


def fold_groups(query: Float[Tensor, "*B H Q D"], groups: int) -> Float[Tensor, "*B G gQ D"]:
    """The query heads that share keys, one below the other as if they were more positions."""
    return query.unflatten(-3, (-1, groups)).flatten(-3, -2)  # (*B, G, g, Q, D) first


def unfold_groups(context: Float[Tensor, "*B G gQ E"], groups: int) -> Float[Tensor, "*B H Q E"]:
    """The heads apart again."""
    return context.unflatten(-2, (groups, -1)).flatten(-4, -3)  # (*B, G, g, Q, E) first


def content_only(score: ScoreLike) -> bool:
    """Whether it is certain that the score knows neither heads nor positions of queries."""
    return isinstance(score, str) or (isinstance(score, Score) and score.content_only)


def head_mask(mask: ArrayMask | None) -> Mask | None:
    """The mask over keys, the same for every head: scores are (*B, H, Q, K)."""
    if isinstance(mask, Tensor) and mask.dtype == torch.bool:
        return masks.dense(mask.unsqueeze(-2).unsqueeze(-2))  # (*B, 1, 1, K)
    return key_mask(mask)


def width_of_head(owner: object, width: int, num_heads: int, head_dim: int | None) -> int:
    """``head_dim``, or an equal share of the width.

    Raises:
        ShapeError: the width cannot be shared equally.
    """
    if head_dim is not None:
        return head_dim
    if width % num_heads:
        raise ShapeError(
            f"{type(owner).__name__} needs a width that {num_heads} heads share equally, got "
            f"{width}; pass head_dim, or another number of heads"
        )
    return width // num_heads
