"""Where one cross-attention looked, without the maps of the others."""

from typing import Literal

from regard.functional.masks import Mask
from regard.functional.tensors import spread
from regard.functional.weigh import weigh
from regard.nn import CrossCache, MultiHeadAttention, Scorer
from regard.nn.heads import split_heads
from regard.types import Float, Tensor


def alignment(
    cross: MultiHeadAttention,
    query: Float[Tensor, "B T M"],
    memory: CrossCache,
    *,
    mask: Mask | None,
    head: int | Literal["mean"],
) -> Float[Tensor, "B T S"]:
    """The weights of one head, or the mean of all, as ``cross(query, memory)`` pools with them.

    Differentiable. Costs one map per head that is asked for, and the projection of the queries.

    Args:
        cross: the attention.
        query: what it looked with.
        memory: what it looked at, prepared by it.
        mask: which keys may be looked at, for scores with or without an axis of heads.
        head: which head.
    """
    asking = split_heads(cross.in_proj.query(query), cross.num_heads)
    groups = cross.num_heads // cross.num_key_heads
    score = cross.score() if isinstance(cross.score, Scorer) else cross.score
    if head == "mean":
        keys = spread(memory.key, groups)
        weights = weigh(asking, keys, score=score, mask=mask, normalise=cross.normalise)
        return weights.mean(dim=1)
    keys = memory.key[:, head // groups]
    return weigh(asking[:, head], keys, score=score, mask=mask, normalise=cross.normalise)
