"""Softmax attention over an inner product, on torch's fused kernel.

The kernel takes queries, keys and values of four axes and one width; anything else sends torch to
a slow path that builds the whole map. So leading axes are flattened, widths padded with zeros, and
a term per key (a norm, a slope, the end of a sequence) enters as a bias that is never expanded.
"""

from functools import partial

import torch
from torch.nn.functional import pad, scaled_dot_product_attention

from regard.kernels.derivatives import defined_by, transformed
from regard.types import Float, Tensor

from ..forms import Inner
from ..normalisers import softmax
from ..tensors import broadcast_shapes


def fused_kernel(
    inner: Inner,
    value: Float[Tensor, "*#B K E"],
    *,
    allowed: Tensor | None = None,
    causal: bool = False,
) -> Float[Tensor, "*B Q E"]:
    """Softmax attention over an inner product by torch's kernel, in the dtype of the value.

    A term per key stays in float32 beside vectors of half the precision: near 1,000 the numbers of
    bfloat16 are 4 apart. Where the kernel cannot take it so, the vectors are widened.

    Args:
        inner: the pairing.
        value: what is pooled.
        allowed: pairs that may attend, broadcastable to the scores; a boolean tensor, or zero
            where they may and minus infinity where not.
        causal: whether to mask key > query as well.
    """
    if inner.key_bias is not None and inner.key_bias.requires_grad and torch.is_grad_enabled():
        inner = inner.columned()  # the kernel has no gradient for a bias, but one for a column
    bias = inner.key_bias
    term = None if bias is None else bias.unsqueeze(-2)
    if allowed is not None:
        term = allowed if term is None else _masked_bias(term, allowed)
    dtype = inner.query.dtype
    if term is not None and term.is_floating_point():
        term = term.to(torch.promote_types(dtype, term.dtype))
        if value.device.type != "cpu":  # only the kernel of the CPU takes two
            dtype = term.dtype
    vectors = _in(dtype, inner.query), _in(dtype, inner.key), _in(dtype, value)
    define = partial(pooled, term=term, causal=causal, scale=inner.scale)
    if transformed():
        return define(*vectors).to(value.dtype)
    context = _run_kernel(*vectors, term, causal, inner.scale)
    return _in(value.dtype, defined_by(define, context, *vectors))


def _in(dtype: torch.dtype, x: Tensor) -> Tensor:
    return x if x.dtype == dtype else x.to(dtype)  # to() costs a microsecond to do nothing


def _masked_bias(bias: Tensor, allowed: Tensor) -> Tensor:
    if allowed.dtype == torch.bool:
        return torch.where(allowed, bias, -torch.inf)
    return bias + allowed


def _run_kernel(
    query: Tensor, key: Tensor, value: Tensor, term: Tensor | None, causal: bool, scale: float
) -> Tensor:
    """The kernel on tensors of any leading axes and widths."""
    if term is None and query.dim() == 4 and query.shape == value.shape == key.shape:
        return _kernel(query, key, value, None, causal, scale)
    width = value.shape[-1]
    query, key, value = _one_width(query, key, value)
    leading = query.shape[:-2]
    regular = len(leading) == 2 and key.shape[:-2] == leading == value.shape[:-2]
    if not regular:
        leading = broadcast_shapes(leading, key.shape[:-2], value.shape[:-2])
        query, key, value = (_four_axes(x, leading) for x in (query, key, value))
        term = None if term is None else _four_axes(term, leading)
    elif term is not None and term.dim() < 4:
        term = term.reshape(*(1,) * (4 - term.dim()), *term.shape)
    context = _kernel(query, key, value, term, causal, scale)
    if not regular:
        context = context.reshape(*leading, *context.shape[-2:])
    return context if context.shape[-1] == width else context[..., :width]


def _kernel(
    query: Tensor, key: Tensor, value: Tensor, term: Tensor | None, causal: bool, scale: float
) -> Tensor:
    if term is None or not causal:
        return scaled_dot_product_attention(
            query, key, value, attn_mask=term, is_causal=causal, scale=scale
        )
    if term.dtype == torch.bool:
        term = torch.zeros_like(term, dtype=query.dtype).masked_fill(~term, -torch.inf)
    if query.device.type == "cpu":
        # The public function refuses a bias beside `is_causal`; the operator behind it does not.
        flash = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
        context, _ = flash(query, key, value, 0.0, True, attn_mask=term, scale=scale)
        return context
    ahead = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool, device=query.device)
    term = term.masked_fill(ahead.triu(1), -torch.inf)
    return scaled_dot_product_attention(query, key, value, attn_mask=term, scale=scale)


def _one_width(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Zero columns change neither an inner product nor, once cut off, a context."""
    missing = value.shape[-1] - query.shape[-1]
    if missing > 0:
        return pad(query, (0, missing)), pad(key, (0, missing)), value
    return query, key, value if missing == 0 else pad(value, (0, -missing))


def _four_axes(x: Tensor, leading: torch.Size) -> Tensor:
    """``x`` with exactly two leading axes, expanded to the common ones."""
    rows, columns = x.shape[-2:]
    x = x.expand(*leading, rows, columns)
    if len(leading) == 2:
        return x
    return x.reshape(leading.numel(), 1, rows, columns)


def pooled(
    query: Float[Tensor, "*#B Q D"],
    key: Float[Tensor, "*#B K D"],
    value: Float[Tensor, "*#B K E"],
    *,
    term: Tensor | None,
    causal: bool,
    scale: float,
) -> Float[Tensor, "*B Q E"]:
    """The definition behind the fused kernel; builds the map, in at least float32.

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
