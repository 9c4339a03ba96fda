"""keras on its torch backend: AdditiveAttention and MultiHeadAttention."""

import os
from types import ModuleType

import torch
from torch.nn.functional import linear

from ..case import Case
from ..inputs import Inputs
from .system import Forward, System


def import_keras() -> ModuleType:
    """keras on torch.

    Raises:
        RuntimeError: the process already runs keras on another backend.
    """
    os.environ.setdefault("KERAS_BACKEND", "torch")
    import keras

    if keras.backend.backend() != "torch":
        raise RuntimeError(f"keras runs on {keras.backend.backend()}, not on torch")
    return keras


def additive(case: Case, inputs: Inputs) -> Forward:
    """``AdditiveAttention`` with our v as its scale; it wants (B, N, D): heads join the batch."""
    layer = import_keras().layers.AdditiveAttention()
    query, key, value = (x.flatten(0, 1) for x in (inputs.query, inputs.key, inputs.value))
    with torch.no_grad():
        layer([query[:, :1], value[:, :1], key[:, :1]])
        layer.scale.value.copy_(inputs.parameters["v"])
    return lambda: layer([query, value, key]).view(case.shape)


def bahdanau(case: Case, inputs: Inputs) -> Forward:
    """``AdditiveAttention`` behind two linear maps."""
    layer = import_keras().layers.AdditiveAttention()
    query, key, parameters = inputs.query, inputs.key, inputs.parameters
    with torch.no_grad():
        layer([query[:, :1], key[:, :1], key[:, :1]])
        layer.scale.value.copy_(parameters["v"])

    def forward() -> torch.Tensor:
        looking = linear(query, parameters["query_weight"])
        return layer([looking, key, linear(key, parameters["key_weight"])])

    return forward


def layer(case: Case, inputs: Inputs) -> Forward:
    """``MultiHeadAttention`` with the layer's weights in it."""
    _, heads, _, width = case.shape
    model = heads * width
    attention = import_keras().layers.MultiHeadAttention(num_heads=heads, key_dim=width)
    x = inputs.query
    with torch.no_grad():
        attention(x[:, :1], x[:, :1])
        into = inputs.parameters["in_weight"].view(3, model, model).transpose(1, 2)  # in, out
        attention.query_dense.kernel.value.copy_(into[0].reshape(model, heads, width))
        attention.key_dense.kernel.value.copy_(into[1].reshape(model, heads, width))
        attention.value_dense.kernel.value.copy_(into[2].reshape(model, heads, width))
        out = inputs.parameters["out_weight"].t()
        attention.output_dense.kernel.value.copy_(out.reshape(heads, width, model))
    return lambda: attention(x, x)


KERAS = System(
    name="keras",
    note="keras' own layer on its torch backend",
    builders={"additive": additive, "bahdanau": bahdanau, "layer": layer},
    module="keras",
)
