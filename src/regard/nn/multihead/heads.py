"""Vectors cut into heads, and heads that share keys."""

from regard.functional.scores import Score, ScoreLike
from regard.types import Float, Tensor


def split(x: Float[Tensor, "*B N HD"], num_heads: int) -> Float[Tensor, "*B H N D"]:
    """One view per head; nothing is copied."""
    return x.unflatten(-1, (num_heads, -1)).transpose(-3, -2)


def merged(x: Float[Tensor, "*B H N D"]) -> Float[Tensor, "*B N HD"]:
    """The heads side by side."""
    return x.transpose(-3, -2).flatten(-2)


def folded(query: Float[Tensor, "*B H Q D"], groups: int) -> Float[Tensor, "*B G gQ D"]:
    """The query heads that share keys, one below the other as if they were more positions."""
    return query.unflatten(-3, (-1, groups)).flatten(-3, -2)


def unfolded(context: Float[Tensor, "*B G gQ E"], groups: int) -> Float[Tensor, "*B H Q E"]:
    """The heads apart again."""
    return context.unflatten(-2, (groups, -1)).flatten(-4, -3)


def content_only(score: ScoreLike) -> bool:
    """Whether it is certain that the score knows neither heads nor positions of queries."""
    return isinstance(score, str) or (isinstance(score, Score) and score.content_only)
