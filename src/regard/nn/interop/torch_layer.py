"""``torch.nn.MultiheadAttention`` in and out."""

from typing import Any

import torch
from torch import nn

from regard.errors import ChoiceError, DtypeError

from ..multihead.attention import MultiHeadAttention
from ..multihead.projections import NormedProjection
from .linears import Linear, Linears, attention_of, linears_of


def from_torch(layer: nn.MultiheadAttention, **choices: Any) -> MultiHeadAttention:
    """The same attention as ours, with a copy of its weights.

    Theirs → ours: ``in_proj_weight`` → ``in_proj.weight``, ``out_proj`` → ``output_proj``. Their
    boolean masks say where *not* to attend: pass ``~key_padding_mask``. Ours is batch-first.

    Args:
        layer: theirs.
        choices: further arguments of :class:`MultiHeadAttention`, e.g. ``mask="causal"``.

    Raises:
        DtypeError: some other module.
        ChoiceError: the layer adds keys of its own (``add_bias_kv``, ``add_zero_attn``).
    """
    if not isinstance(layer, nn.MultiheadAttention):
        raise DtypeError(
            f"from_torch needs a torch.nn.MultiheadAttention, got {type(layer).__name__}"
        )
    if layer.bias_k is not None or layer.add_zero_attn:
        raise ChoiceError(
            "from_torch needs a layer without add_bias_kv and add_zero_attn, whose keys come after "
            "the projection, where MultiHeadAttention has no place for them; project by hand, "
            "append them by torch.cat, and call regard.attend"
        )
    choices = {"dropout": float(layer.dropout), **choices}
    return attention_of(_linears(layer), layer.num_heads, layer.num_heads, **choices)


def to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    """The same attention as torch's, batch-first, with a copy of the weights.

    Raises:
        ChoiceError: torch's layer has no such choice.
    """
    linears = linears_of(attention)
    obstacle = _obstacle(attention)
    if obstacle is not None:
        raise ChoiceError(f"torch.nn.MultiheadAttention has no {obstacle}")
    weight = linears.query.weight
    layer = nn.MultiheadAttention(
        attention.model_dim,
        attention.num_heads,
        dropout=attention.dropout,
        bias=linears.query.bias is not None,
        kdim=attention.key_dim,
        vdim=attention.value_dim,
        batch_first=True,
        device=weight.device,
        dtype=weight.dtype,
    )
    with torch.no_grad():
        for theirs, ours in zip(_linears(layer), linears, strict=True):
            theirs.weight.copy_(ours.weight)
            if theirs.bias is not None and ours.bias is not None:
                theirs.bias.copy_(ours.bias)
    return layer.train(attention.training)


def _linears(layer: nn.MultiheadAttention) -> Linears:
    if layer.in_proj_weight is not None:
        weights = layer.in_proj_weight.detach().chunk(3)
    else:
        parts = (layer.q_proj_weight, layer.k_proj_weight, layer.v_proj_weight)
        weights = tuple(part.detach() for part in parts)
    bias = layer.in_proj_bias
    biases = (None,) * 3 if bias is None else bias.detach().chunk(3)
    query, key, value = (Linear(w, b) for w, b in zip(weights, biases, strict=True))
    out = layer.out_proj
    output = Linear(out.weight.detach(), None if out.bias is None else out.bias.detach())
    return Linears(query, key, value, output)


def _obstacle(attention: MultiHeadAttention) -> str | None:
    """What of ``attention`` torch's layer cannot do."""
    if isinstance(attention.in_proj, NormedProjection):
        return "norms of queries and keys"
    if attention.score != "scaled_dot" or attention.normalise != "softmax":
        return f"score {attention.score!r} with {attention.normalise!r}"
    if attention.num_key_heads != attention.num_heads:
        return "grouped keys"
    if attention.position is not None or attention.mask is not None:
        return "position or mask of its own: build the attention without, and pass masks to it"
    widths = attention.num_heads * attention.head_dim, attention.output_dim
    if widths != (attention.model_dim,) * 2:
        return f"heads or output of another width than model_dim {attention.model_dim}"
    return None
