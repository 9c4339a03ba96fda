"""torch's own layer, projections included."""

import torch
from torch import nn

from ..case import Case
from ..inputs import Inputs
from .system import Forward, System


def torch_layer(case: Case, inputs: Inputs) -> nn.MultiheadAttention:
    """``nn.MultiheadAttention`` with the layer's weights in it."""
    _, heads, _, width = case.shape
    attention = nn.MultiheadAttention(heads * width, heads, batch_first=True)
    with torch.no_grad():
        attention.in_proj_weight.copy_(inputs.parameters["in_weight"])
        attention.out_proj.weight.copy_(inputs.parameters["out_weight"])
    return attention.train(case.backward)


def layer(case: Case, inputs: Inputs) -> Forward:
    """Asked for no weights back."""
    attention, x = torch_layer(case, inputs), inputs.query
    return lambda: attention(x, x, x, need_weights=False)[0]


MULTIHEAD = System(
    name="nn.MultiheadAttention",
    note="torch's layer, projections included, need_weights=False",
    builders={"layer": layer},
)
