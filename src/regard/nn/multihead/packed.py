"""Multi-head attention over sequences without padding: one below the other, heads side by side."""

import torch
from torch.nn.functional import linear

from regard.functional.scores import ScaledDot
from regard.kernels.available import numba_available
from regard.kernels.derivatives import transformed
from regard.kernels.ragged import Heads, Ragged, Spans, attend_ragged
from regard.types import Float, Tensor

from .attention import MultiHeadAttention
from .projections import JointProjection

LONGEST = 128
"""Positions up to which a pair at a time is faster than products of padded matrices."""


def packs(attention: MultiHeadAttention, x: Tensor, longest: int) -> bool:
    """Whether :func:`attend_packed` can run this attention, and is worth it.

    Args:
        attention: plain multi-head attention, that nobody watches, runs.
        x: what would be looked with.
        longest: positions of the longest sequence on either side.
    """
    plain = longest <= LONGEST and x.device.type == "cpu" and numba_available()
    plain = plain and x.dtype == attention.output_proj.weight.dtype
    plain = plain and x.dtype in (torch.float32, torch.float64)
    if not plain or torch.is_autocast_enabled("cpu") or torch.compiler.is_compiling():
        return False
    if transformed():
        return False
    return _is_plain(attention) and not _overheard(attention)


def attend_packed(
    attention: MultiHeadAttention,
    x: Float[Tensor, "R M"],
    spans: Spans,
    memory: Float[Tensor, "S M"] | None = None,
    keys: Spans | None = None,
) -> Float[Tensor, "R O"]:
    """What ``attention(x, memory)`` gives on the padded batch, for the rows of sequences.

    Args:
        attention: one that :func:`packs`.
        x: what is looking.
        spans: which rows of it belong together.
        memory: what is looked at; ``x`` itself if not given.
        keys: which rows of what is looked at may be seen by each sequence; ``spans`` if not given.
    """
    projection = attention.in_proj
    assert isinstance(projection, JointProjection)
    if memory is None:
        query, paired = linear(x, projection.weight, projection.bias), None
    else:
        query, paired = projection.query(x), projection.pairs(memory)
    heads = Heads(attention.num_heads, attention.num_key_heads, attention.head_dim)
    scale, causal = attention.head_dim**-0.5, attention.mask is not None
    ragged = Ragged(spans, spans if keys is None else keys, heads, scale, causal)
    return attention.output_proj(attend_ragged(query, paired, ragged))


def _is_plain(attention: MultiHeadAttention) -> bool:
    """Softmax over scaled inner products of everything, or of everything before."""
    score, normalise, mask = attention.score, attention.normalise, attention.mask
    return (
        (score == "scaled_dot" or (type(score) is ScaledDot and score.scale is None))
        and (normalise == "softmax" if isinstance(normalise, str) else normalise.is_softmax)
        and (mask is None or mask.is_causal)
        and attention.position is None
        and attention.persistent is None
        and isinstance(attention.in_proj, JointProjection)
        and not (attention.training and attention.dropout)
    )


def _overheard(attention: MultiHeadAttention) -> bool:
    """Whether someone waits for the module's own call."""
    hooks = attention._forward_hooks, attention._forward_pre_hooks
    backward = attention._backward_hooks, attention._backward_pre_hooks
    return bool(attention.observed or any(hooks) or any(backward))
