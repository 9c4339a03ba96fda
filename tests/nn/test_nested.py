"""Modules do not take nested tensors, and say what to pass instead."""

import warnings

import pytest
import torch

from regard import nn
from regard.errors import DtypeError

WIDTH = 8

CALLS = {
    "MultiHeadAttention": lambda x: nn.MultiHeadAttention(WIDTH, 2)(x),
    "MultiHeadAttention, memory": lambda x: nn.MultiHeadAttention(WIDTH, 2)(
        torch.zeros(2, 3, WIDTH), x
    ),
    "MultiHeadAttention.step": lambda x: nn.MultiHeadAttention(WIDTH, 2).step(x),
    "MultiHeadAttention.prepare": lambda x: nn.MultiHeadAttention(WIDTH, 2).prepare(x),
    "SelfAttention": lambda x: nn.SelfAttention(WIDTH)(x),
    "AttentionPooling": lambda x: nn.AttentionPooling(WIDTH)(x),
    "BahdanauAttention": lambda x: nn.BahdanauAttention(5, WIDTH, 4).prepare(x),
    "LocalAttention": lambda x: nn.LocalAttention(5, WIDTH, half_width=2).prepare(x),
    "AgentAwareAttention": lambda x: nn.AgentAwareAttention(WIDTH, 2)(x, agents=2),
    "ChunkedAttention": lambda x: nn.ChunkedAttention(
        nn.MultiHeadAttention(WIDTH, 2), chunk_length=3
    )(x),
    "PairBiasedAttention": lambda x: nn.PairBiasedAttention(WIDTH, 2, pair_dim=3)(
        x, torch.zeros(5, 5, 3)
    ),
    "TriangleAttention": lambda x: nn.TriangleAttention(WIDTH, 2, "starting")(x),
    "TimeMixing": lambda x: nn.TimeMixing(WIDTH)(x),
    "attention": lambda x: nn.NadarayaWatson()(x, x, x),
}


@pytest.mark.usefixtures("without_shape_checks")
@pytest.mark.parametrize("layout", [torch.jagged, torch.strided], ids=str)
@pytest.mark.parametrize("name", CALLS)
def test_a_nested_tensor_is_answered_with_what_to_do(name, layout):
    parts = [torch.zeros(3, WIDTH), torch.zeros(5, WIDTH)]
    with warnings.catch_warnings(action="ignore"):  # torch says that nested tensors are new
        x = torch.nested.nested_tensor(parts, layout=layout)
    owner = name.split(".")[0].split(",")[0]
    match = rf"{owner} needs padded tensors, got a nested one; pad it by .to_padded_tensor\(0.0\)"
    with pytest.raises(DtypeError, match=match):
        CALLS[name](x)
