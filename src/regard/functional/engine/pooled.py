"""Softmax attention in plain tensor operations: the definition behind the fused kernel."""

import torch

from regard.types import Float, Tensor

from ..normalisers import softmax


def pooled(
    query: Float[Tensor, "*#B Q D"],
    key: Float[Tensor, "*#B K D"],
    value: Float[Tensor, "*#B K E"],
    *,
    term: Tensor | None,
    causal: bool,
    scale: float,
) -> Float[Tensor, "*B Q E"]:
    """The softmax-weighted mean of the values; builds the map, in at least float32.

    Args:
        query: (*B, Q, D).
        key: (*B, K, D).
        value: (*B, K, E).
        term: added to the scores, or booleans, True = may attend.
        causal: whether to mask key > query as well.
        scale: of the inner product.
    """
    dtype = torch.promote_types(query.dtype, torch.float32)
    scores = torch.matmul(query.to(dtype) * scale, key.to(dtype).mT)
    allowed = term if term is None or term.dtype == torch.bool else term > -torch.inf
    if term is not None and term.dtype != torch.bool:
        scores = scores + term.to(dtype)
    if causal:
        before = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
        allowed = before if allowed is None else allowed & before
    return (softmax(scores, allowed) @ value.to(dtype)).to(query.dtype)
