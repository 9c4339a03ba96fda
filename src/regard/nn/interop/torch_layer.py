"""``torch.nn.MultiheadAttention`` in and out."""

from typing import Any

import torch
from torch import nn

from regard.errors import ChoiceError, DtypeError
from regard.functional.normalisers import SoftmaxWithSink, softmax
from regard.types import Tensor

from ..multihead.attention import MultiHeadAttention
from ..multihead.persistent import PersistentMemory
from ..multihead.projections import NormedProjection
from .linears import Linear, Linears, attention_of, linears_of


def from_torch(layer: nn.MultiheadAttention, **choices: Any) -> MultiHeadAttention:
    """The same attention as ours, with a copy of its weights.

    Theirs → ours: ``in_proj_weight`` → ``in_proj.weight``, ``out_proj`` → ``output_proj``. Their
    boolean masks say where *not* to attend: pass ``~key_padding_mask``. Ours is batch-first.
    ``add_bias_kv`` → ``persistent=1``; ``add_zero_attn`` → a softmax beside a sink of 0.

    Args:
        layer: theirs.
        choices: further arguments of :class:`MultiHeadAttention`, e.g. ``mask="causal"``.

    Raises:
        DtypeError: some other module.
        ChoiceError: another normaliser beside a key of zeros, which only the softmax can leave out.
    """
    if not isinstance(layer, nn.MultiheadAttention):
        raise DtypeError(
            f"from_torch needs a torch.nn.MultiheadAttention, got {type(layer).__name__}"
        )
    if layer.add_zero_attn:
        if "normalise" in choices:
            raise ChoiceError(
                "add_zero_attn is a softmax beside a sink of 0 here, and another normaliser cannot "
                "stand in its place; build the layer without it"
            )
        choices["normalise"] = SoftmaxWithSink(layer.out_proj.weight.new_zeros(()))
    count = 0 if layer.bias_k is None else len(layer.bias_k)
    choices = {"dropout": float(layer.dropout), "persistent": count, **choices}
    attention = attention_of(_linears(layer), layer.num_heads, layer.num_heads, **choices)
    if attention.persistent is not None:
        with torch.no_grad():
            for own, given in _persistent(attention.persistent, layer):
                own.copy_(given.unflatten(-1, (layer.num_heads, -1)).squeeze(1).transpose(0, 1))
    return attention


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
        add_bias_kv=attention.persistent is not None,
        add_zero_attn=isinstance(attention.normalise, SoftmaxWithSink),
        device=weight.device,
        dtype=weight.dtype,
    )
    with torch.no_grad():
        for theirs, ours in zip(_linears(layer), linears, strict=True):
            theirs.weight.copy_(ours.weight)
            if theirs.bias is not None and ours.bias is not None:
                theirs.bias.copy_(ours.bias)
        if attention.persistent is not None:
            for own, given in _persistent(attention.persistent, layer):
                given.copy_(own.transpose(0, 1).flatten(-2).unsqueeze(1))
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


def _persistent(
    memory: PersistentMemory, layer: nn.MultiheadAttention
) -> tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor]]:
    """Ours (H, 1, D) beside theirs (1, 1, M): keys, values."""
    assert layer.bias_k is not None and layer.bias_v is not None
    return (memory.key, layer.bias_k), (memory.value, layer.bias_v)


def _obstacle(attention: MultiHeadAttention) -> str | None:
    """What of ``attention`` torch's layer cannot do."""
    if isinstance(attention.in_proj, NormedProjection):
        return "norms of queries and keys"
    if isinstance(attention.normalise, SoftmaxWithSink):
        if attention.normalise.sink.any():
            return "sinks but those of 0, add_zero_attn"
    elif attention.normalise not in ("softmax", softmax):
        return f"score {attention.score!r} with {attention.normalise!r}"
    if attention.persistent is not None and attention.persistent.count > 1:
        return "more than one persistent key, add_bias_kv"
    if attention.score != "scaled_dot":
        return f"score {attention.score!r} with {attention.normalise!r}"
    if attention.num_key_heads != attention.num_heads:
        return "grouped keys"
    if attention.position is not None or attention.mask is not None:
        return "position or mask of its own: build the attention without, and pass masks to it"
    widths = attention.num_heads * attention.head_dim, attention.output_dim
    if widths != (attention.model_dim,) * 2:
        return f"heads or output of another width than model_dim {attention.model_dim}"
    return None
