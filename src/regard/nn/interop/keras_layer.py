"""Weights as keras' ``MultiHeadAttention`` and ``GroupQueryAttention`` hold them."""

from collections.abc import Mapping
from typing import Any

import torch

from regard.errors import ChoiceError, ShapeError
from regard.types import Tensor

from ..multihead.attention import MultiHeadAttention
from ..multihead.projections import NormedProjection
from .linears import Linear, Linears, attention_of, linears_of

PARTS = ("query", "key", "value", "attention_output")


def from_keras(weights: Mapping[str, Any], **choices: Any) -> MultiHeadAttention:
    """An attention with the weights of a keras layer.

    Theirs → ours: ``query/kernel`` (M, H, D), ``key/kernel``, ``value/kernel`` and their biases
    (H, D) → ``in_proj``; ``attention_output/kernel`` (H, D, O) → ``output_proj``; fewer heads in
    ``key`` than in ``query`` are grouped.

    >>> from_keras({weight.path: weight.value for weight in layer.weights})

    Args:
        weights: tensors or arrays by path; what stands before ``query/kernel`` does not matter.
        choices: further arguments of :class:`MultiHeadAttention`.

    Raises:
        ChoiceError: a kernel is missing.
        ShapeError: values of another width than keys.
    """
    found = {"/".join(path.split("/")[-2:]): _tensor(value) for path, value in weights.items()}
    for part in PARTS:
        if f"{part}/kernel" not in found:
            known = ", ".join(found) or "none"
            raise ChoiceError(f"from_keras needs a weight {part}/kernel, got {known}")
    kernels = [found[f"{part}/kernel"] for part in PARTS[:3]]
    if kernels[2].shape[-1] != kernels[0].shape[-1]:
        raise ShapeError(
            "from_keras needs values as wide as keys in each head, got "
            f"{kernels[2].shape[-1]} and {kernels[0].shape[-1]}"
        )
    query, key, value = (
        Linear(kernel.flatten(1).t(), _flat(found.get(f"{part}/bias")))
        for part, kernel in zip(PARTS, kernels, strict=False)
    )
    output = found["attention_output/kernel"].flatten(0, 1).t()
    linears = Linears(query, key, value, Linear(output, found.get("attention_output/bias")))
    return attention_of(linears, kernels[0].shape[1], kernels[1].shape[1], **choices)


def to_keras(attention: MultiHeadAttention) -> dict[str, Tensor]:
    """The weights by keras' names, in keras' shapes and order.

    Raises:
        ChoiceError: queries and keys are normalised, which keras' layer does not do.
    """
    linears, heads = linears_of(attention), attention.num_key_heads
    if isinstance(attention.in_proj, NormedProjection):
        raise ChoiceError("keras' layers have no norms of queries and keys")
    weights = {}
    for name, part, count in zip(PARTS, linears, (attention.num_heads, heads, heads), strict=False):
        weights[f"{name}/kernel"] = part.weight.t().unflatten(1, (count, -1)).clone()
        if part.bias is not None:
            weights[f"{name}/bias"] = part.bias.unflatten(0, (count, -1)).clone()
    output = linears.output
    unfolded = output.weight.t().unflatten(0, (attention.num_heads, -1))
    weights["attention_output/kernel"] = unfolded.clone()
    if output.bias is not None:
        weights["attention_output/bias"] = output.bias.clone()
    return weights


def _tensor(value: Any) -> Tensor:
    return torch.as_tensor(value).detach()


def _flat(bias: Tensor | None) -> Tensor | None:
    return None if bias is None else bias.flatten()
