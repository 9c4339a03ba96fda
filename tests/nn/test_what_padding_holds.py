"""Of every module that is told what is real: what stands elsewhere reaches neither what it answers
about the rest, nor the gradient of that by inputs and parameters, whatever it holds."""

import copy

import pytest
import torch
from torch.testing import assert_close

from regard import nn, positions
from regard.cells import GRU, LSTM, RNN, Bidirectional, Recurrent
from regard.models.text import (
    ConvEncoderConfig,
    RecurrentEncoderConfig,
    TransformerEncoderConfig,
    encoder,
)
from regard.nn import vision

DIM, HEADS = 8, 2
LENGTHS = torch.tensor([5, 3, 0])
REAL = torch.arange(7) < LENGTHS[:, None]
ON_MAP = (torch.arange(6) < torch.tensor([4, 2, 0])[:, None]).view(3, 2, 3)
JUNK = (torch.nan, torch.inf, -torch.inf, 1e30)


def sequence(module, x):
    return module(x, LENGTHS)[REAL]


def by_name(module, x):
    return module(x, mask=LENGTHS)[REAL]


def by_booleans(module, x):
    return module(x, mask=REAL)[REAL]


def across(module, x):
    return module(x.new_ones(3, 4, DIM), x, mask=LENGTHS)


def prepared(module, x):
    state = x.new_ones(3, module.query_dim)
    return module(state, module.prepare(x, LENGTHS))[0]


def run(module, x):
    return module(x, lengths=LENGTHS)[0][REAL]


def on_map(module, x):
    """The first six positions as a map of two rows."""
    features = x[:, :6].mT.unflatten(-1, (2, 3))
    found = module(features, ON_MAP)
    return found.movedim(1, -1)[ON_MAP]


def pooled(module, x):
    return module(x, LENGTHS)


CASES = {
    "multi-head": (lambda: nn.MultiHeadAttention(DIM, HEADS), by_name),
    "multi-head, booleans": (lambda: nn.MultiHeadAttention(DIM, HEADS), by_booleans),
    "multi-head, causal": (lambda: nn.MultiHeadAttention(DIM, HEADS, mask="causal"), by_name),
    "multi-head, cross": (lambda: nn.MultiHeadAttention(DIM, HEADS), across),
    "multi-head, relative": (
        lambda: nn.MultiHeadAttention(DIM, HEADS, position=positions.RelativeBias(HEADS, reach=3)),
        by_name,
    ),
    "multi-head, rotary": (
        lambda: nn.MultiHeadAttention(DIM, HEADS, position=positions.Rotary(DIM // HEADS)),
        by_name,
    ),
    "self": (lambda: nn.SelfAttention(DIM), by_name),
    "pooling": (lambda: nn.AttentionPooling(DIM, 2), pooled),
    "time mixing": (lambda: nn.TimeMixing(DIM), sequence),
    "bahdanau": (lambda: nn.BahdanauAttention(DIM, DIM, 6), prepared),
    "luong": (lambda: nn.LuongAttention(DIM, DIM), prepared),
    "top down": (lambda: vision.TopDownAttention(DIM, 3, 7), prepared),
    **{
        f"{cell.__name__}, {name}": (lambda cell=cell, make=make: make(cell), run)
        for cell in (GRU, LSTM, RNN)
        for name, make in (
            ("one way", lambda cell: Recurrent(cell(DIM, 5))),
            ("both ways", lambda cell: Bidirectional(cell(DIM, 5), cell(DIM, 5))),
        )
    },
    **{
        f"encoder of text, {name}": (lambda config=config: encoder(config, DIM), sequence)
        for name, config in (
            ("gru", RecurrentEncoderConfig(cell="gru", hidden_dim=6, num_layers=2)),
            ("lstm", RecurrentEncoderConfig(cell="lstm", hidden_dim=6, directions="right")),
            ("lstmn", RecurrentEncoderConfig(cell="lstmn", hidden_dim=6)),
            (
                "transformer",
                TransformerEncoderConfig(model_dim=DIM, num_heads=2, hidden_dim=12, num_layers=1),
            ),
            ("conv", ConvEncoderConfig(hidden_dim=6)),
        )
    },
    **{
        name: (make, on_map)
        for name, make in (
            ("squeeze and excitation", lambda: vision.SqueezeExcitation(DIM, 2)),
            ("channel", lambda: vision.ChannelAttention(DIM, 2)),
            ("spatial", lambda: vision.SpatialAttention(3)),
            ("cbam", lambda: vision.CBAM(DIM, reduction=2, kernel_size=3)),
            ("eca", lambda: vision.EfficientChannelAttention(DIM)),
            ("global context", lambda: vision.GlobalContext(DIM, 2)),
            ("non-local", lambda: vision.NonLocal(DIM, hidden_channels=3)),
            ("non-local, dot", lambda: vision.NonLocal(DIM, hidden_channels=3, pairwise="dot")),
            ("non-local, fewer", lambda: vision.NonLocal(DIM, hidden_channels=3, subsample=2)),
        )
    },
}


def outcome(module, call, x):
    """What is answered, with and without gradients, and the gradients."""
    x = x.clone().requires_grad_()
    found = call(module, x)
    leaves = [x, *module.parameters()]
    gradients = torch.autograd.grad(found.square().sum(), leaves, materialize_grads=True)
    with torch.no_grad():
        plain = call(module, x)
    return [found, plain, *gradients]


@pytest.mark.parametrize("name", CASES)
def test_what_stands_in_the_padding_reaches_nothing(name, without_shape_checks):
    make, call = CASES[name]
    torch.manual_seed(0)
    module = make().double().eval()
    x = torch.randn(3, 7, DIM, dtype=torch.float64)
    padding = ~REAL
    if call is on_map:
        padding = ~torch.cat([ON_MAP.flatten(1), torch.zeros(3, 1, dtype=torch.bool)], dim=1)
    x[padding] = 0.0
    wanted = outcome(module, call, x)
    for fill in JUNK:
        spoiled = x.masked_fill(padding.unsqueeze(-1), fill)
        for one, expected in zip(
            outcome(copy.deepcopy(module), call, spoiled), wanted, strict=True
        ):
            assert_close(one, expected, rtol=1e-6, atol=1e-8)
