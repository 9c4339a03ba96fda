"""Heads that share keys and values."""

from regard.types import Float, Tensor


def spread(x: Float[Tensor, "*B G K D"], groups: int) -> Float[Tensor, "*B H K D"]:
    """Each head of keys once for each of the ``groups`` query heads that share it."""
    if groups == 1:
        return x
    return x.unsqueeze(-3).expand(*x.shape[:-2], groups, *x.shape[-2:]).flatten(-4, -3)


def spread_over(query: Float[Tensor, "*B Q D"], x: Float[Tensor, "*C K E"]) -> Tensor:
    """Keys or values with a head for each of the query's, where theirs are fewer but divide them.

    One head is left to broadcasting. Heads are the axis before the positions, behind a batch: with
    three axes that one is the batch, and a batch of other size is a mistake.
    """
    if query.dim() < 4 or x.dim() < 4:
        return x
    heads, own = query.shape[-3], x.shape[-3]
    grouped = 1 < own < heads and heads % own == 0
    return spread(x, heads // own) if grouped else x
