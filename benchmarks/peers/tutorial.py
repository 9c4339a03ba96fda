"""Bahdanau's attention as tutorials write it: everything is projected again in every step."""

import torch
from torch import Tensor, nn
from torch.nn.functional import softmax

from ..case import Case
from ..inputs import Inputs
from .system import Forward, System


def steps(case: Case, inputs: Inputs) -> Forward:
    """The state repeated beside every key, one linear map over both, tanh, v, softmax, pool."""
    width = case.shape[-1]
    energy, v = nn.Linear(2 * width, width, bias=False), nn.Linear(width, 1, bias=False)
    with torch.no_grad():
        both = inputs.parameters["query_weight"], inputs.parameters["key_weight"]
        energy.weight.copy_(torch.cat(both, dim=1))
        v.weight.copy_(inputs.parameters["v"].unsqueeze(0))
    keys = inputs.key

    def attention(state: Tensor) -> Tensor:
        repeated = state.unsqueeze(1).repeat(1, keys.shape[1], 1)
        hidden = torch.tanh(energy(torch.cat((repeated, keys), dim=2)))
        weights = softmax(v(hidden).squeeze(2), dim=1)
        return torch.bmm(weights.unsqueeze(1), keys).squeeze(1)

    return lambda: torch.stack([attention(state) for state in inputs.query.unbind(1)], dim=1)


TUTORIAL = System(
    name="tutorial",
    note="one linear map over [state; key] in every step, as tutorials write it",
    builders={"bahdanau steps": steps},
)
