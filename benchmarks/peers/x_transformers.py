"""The x-transformers package: its attention layer, with its fused kernel switched on."""

import torch

from ..case import Case
from ..inputs import Inputs
from .system import Forward, System


def layer(case: Case, inputs: Inputs) -> Forward:
    """``Attention(flash=True)`` with the layer's weights in it; it has no biases."""
    from x_transformers.x_transformers import Attention

    _, heads, _, width = case.shape
    model = heads * width
    attention = Attention(dim=model, dim_head=width, heads=heads, flash=True)
    into = inputs.parameters["in_weight"].view(3, model, model)
    with torch.no_grad():
        attention.to_q.weight.copy_(into[0])
        attention.to_k.weight.copy_(into[1])
        attention.to_v.weight.copy_(into[2])
        attention.to_out.weight.copy_(inputs.parameters["out_weight"])
    x = inputs.query

    def forward() -> torch.Tensor:
        out = attention(x)
        return out[0] if isinstance(out, tuple) else out

    return forward


X_TRANSFORMERS = System(
    name="x-transformers",
    note="the x-transformers Attention layer, flash=True, projections without biases",
    builders={"layer": layer},
    module="x_transformers",
)
