"""The modules of regard."""

import torch

from regard import cells
from regard.nn import BahdanauAttention, MultiHeadAttention
from regard.nn.interop import from_torch

from ..case import Case
from ..inputs import Inputs
from .multihead import torch_layer
from .system import Forward, System


def layer(case: Case, inputs: Inputs) -> Forward:
    """``MultiHeadAttention`` with the layer's weights in it."""
    attention = from_torch(torch_layer(case, inputs)).train(case.backward)
    x = inputs.query
    return lambda: attention(x)


def bahdanau_module(case: Case, inputs: Inputs) -> BahdanauAttention:
    """``BahdanauAttention`` with the case's weights in it."""
    width, parameters = case.shape[-1], inputs.parameters
    attention = BahdanauAttention(width, width, width)
    with torch.no_grad():
        attention.query_proj.weight.copy_(parameters["query_weight"])
        attention.key_proj.weight.copy_(parameters["key_weight"])
        attention.v.copy_(parameters["v"])
    return attention.train(case.backward)


def bahdanau(case: Case, inputs: Inputs) -> Forward:
    """All states at once."""
    attention = bahdanau_module(case, inputs)
    return lambda: attention.contexts(inputs.query, attention.prepare(inputs.key))


def bahdanau_steps(case: Case, inputs: Inputs) -> Forward:
    """Keys prepared once, then one state after the other."""
    attention = bahdanau_module(case, inputs)

    def forward() -> torch.Tensor:
        memory = attention.prepare(inputs.key)
        return torch.stack([attention(s, memory)[0] for s in inputs.query.unbind(1)], dim=1)

    return forward


def cached_step(case: Case, inputs: Inputs) -> Forward:
    """One more position on a cache of all the earlier ones."""
    _, heads, _, width = case.shape
    attention = MultiHeadAttention(heads * width, heads, mask="causal").eval()
    with torch.no_grad():
        _, cache = attention.step(inputs.key, None)
    return lambda: attention.step(inputs.query, cache)[0]


def cell_step(case: Case, inputs: Inputs) -> Forward:
    """One more step of a recurrent cell after all the earlier ones."""
    model = case.shape[1] * case.shape[3]
    kind = {"RNN step": cells.RNN, "LSTM step": cells.LSTM, "GRU step": cells.GRU}
    cell = kind[case.mechanism](model, model).eval()
    with torch.no_grad():
        _, state = cells.Recurrent(cell)(inputs.key)
    return lambda: cell(inputs.query.squeeze(-2), state)[0]


REGARD_NN = System(
    name="regard.nn",
    note="the modules of regard",
    builders={
        "layer": layer,
        "bahdanau": bahdanau,
        "bahdanau steps": bahdanau_steps,
        "cached step": cached_step,
        **dict.fromkeys(("RNN step", "LSTM step", "GRU step"), cell_step),
    },
)
