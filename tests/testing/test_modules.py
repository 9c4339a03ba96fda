"""Every attention module of regard passes the battery."""

import jaxtyping
import pytest
import torch

from regard import masks, positions
from regard.nn import (
    AgentAwareAttention,
    AttentionPooling,
    BahdanauAttention,
    ChunkedAttention,
    HardAttention,
    LocalAttention,
    LuongAttention,
    MultiHeadAttention,
    NadarayaWatson,
    PairBiasedAttention,
    SelfAttention,
    TimeMixing,
    TriangleAttention,
    vision,
)
from regard.testing import CHECKS, check_attention


def across(module, query, key, value, allowed):
    """Queries look at a memory whose values are not its keys."""
    return module(query, key, values=value, mask=allowed)


def with_agents(module, query, key, value, allowed):
    """Two agents take turns."""
    return module(query, agents=2, mask=_keys(allowed))


def pooled(module, query, key, value, allowed):
    """The queries are the module's own."""
    return module(key, _keys(allowed), value=value)


def regression(module, query, key, value, allowed):
    return module(query, key, value, _keys(allowed))


def one_row(module, query, key, value, allowed):
    """An array of one row, with a bias for each pair of its columns."""
    n = query.shape[1]
    apart = (torch.arange(n).unsqueeze(1) - torch.arange(n)).to(query)
    pair = torch.stack([apart, apart.square()], dim=-1).expand(query.shape[0], n, n, 2)
    mask = None if allowed is None else _keys(allowed).unsqueeze(1)
    return module(query.unsqueeze(1), pair, mask).squeeze(1)


def edges_of_one_node(module, query, key, value, allowed):
    """A square of edges; those that start at the first node are looked at."""
    n = query.shape[1]
    pair = query.unsqueeze(1) + query.unsqueeze(2)
    mask = None if allowed is None else _keys(allowed).unsqueeze(1).expand(-1, n, -1)
    return module(pair, mask)[:, 0]


def pixels(module, query, key, value, allowed):
    """Positions in a row of pixels."""
    return module(query.mT, _keys(allowed)).mT


def at_the_third(module, query, key, value, allowed):
    """Every query stands at the third key."""
    memory = module.prepare(key, _keys(allowed), values=value)
    steps = [module(state, memory, step=2) for state in query.unbind(1)]
    return tuple(torch.stack(parts, dim=1) for parts in zip(*steps, strict=True))


def _keys(allowed):
    return None if allowed is None else allowed[:, 0]


BUT_GRADIENT = {"only": [name for name in CHECKS if name != "gradient"]}
"""For a straight-through estimator or an argmax, whose gradient is another on purpose."""

KEYS = {"masks": "keys"}
ITSELF = {"masks": "keys", "itself": True}

MODULES = {
    "bahdanau": (lambda: BahdanauAttention(3, 5, 7), {}),
    "bahdanau, sigmoid": (lambda: BahdanauAttention(3, 5, 7, normalise="sigmoid"), {}),
    "luong dot": (lambda: LuongAttention(5, 5, "dot"), {}),
    "luong general": (lambda: LuongAttention(3, 5, "general"), {}),
    "luong concat": (lambda: LuongAttention(3, 5, "concat", hidden_dim=7), {}),
    "luong location": (
        lambda: LuongAttention(3, 5, "location", max_length=5),
        {"ordered": True},
    ),
    "local, monotonic": (
        lambda: LocalAttention(3, 5, half_width=1),
        {**KEYS, "call": at_the_third, "ordered": True},
    ),
    "local, predictive": (
        lambda: LocalAttention(3, 5, half_width=2, predictive=True),
        {"ordered": True, "total": "at most one"},
    ),
    "hard": (lambda: HardAttention(3, 5, hidden_dim=7), {**BUT_GRADIENT, "pooled": False}),
    "self": (lambda: SelfAttention(3, 2), {}),
    "self, scalar": (lambda: SelfAttention(3), {}),
    "multi-head": (lambda: MultiHeadAttention(6, 2), {}),
    "multi-head, three": (lambda: MultiHeadAttention(6, 3), {}),
    "multi-head, grouped": (lambda: MultiHeadAttention(8, 4, num_key_heads=2), {}),
    "multi-head, causal": (lambda: MultiHeadAttention(6, 2, mask="causal"), {}),
    "multi-head, window": (lambda: MultiHeadAttention(6, 2, mask=masks.window(2, 0)), {}),
    "multi-head, additive": (lambda: MultiHeadAttention(6, 2, score="additive"), {}),
    "multi-head, sparse": (lambda: MultiHeadAttention(6, 2, normalise="sparsemax"), {}),
    "multi-head, rotary": (
        lambda: MultiHeadAttention(8, 2, position=positions.Rotary(4), mask="causal"),
        {},
    ),
    "multi-head, alibi": (lambda: MultiHeadAttention(6, 2, position=positions.Alibi(2)), {}),
    "multi-head, across": (
        lambda: MultiHeadAttention(6, 2, key_dim=5, value_dim=7),
        {"call": across},
    ),
    "chunked": (
        lambda: ChunkedAttention(MultiHeadAttention(6, 2, mask="causal"), chunk_length=2),
        {"query_dim": 6, "causal": True},
    ),
    "pooling": (lambda: AttentionPooling(5, 2), {**KEYS, "call": pooled}),
    "regression": (
        lambda: NadarayaWatson(width=1.5, learnable=True),
        {**KEYS, "call": regression, "query_dim": 3},
    ),
    "agent-aware": (
        lambda: AgentAwareAttention(6, 2),
        {**ITSELF, "call": with_agents, "ordered": True},
    ),
    "pair-biased": (
        lambda: PairBiasedAttention(6, 2, pair_dim=2),
        {**ITSELF, "call": one_row, "ordered": True, "pooled": False},
    ),
    "triangle": (
        lambda: TriangleAttention(6, 2, "starting"),
        {**ITSELF, "call": edges_of_one_node, "pooled": False, "ordered": True},
    ),
    "time mixing": (lambda: TimeMixing(6), {"causal": True, "pooled": False}),
    "top-down": (lambda: vision.TopDownAttention(5, 3, 7), {}),
    "non-local": (
        lambda: vision.NonLocal(6, dims=1),
        {**ITSELF, "call": pixels, "query_dim": 6, "pooled": False},
    ),
}
"""By name: how it is made, and how it is put to the test."""


@pytest.fixture(autouse=True)
def _shapes_are_checked_elsewhere(monkeypatch):
    """A battery is hundreds of small calls; each module's own tests check the shapes of theirs."""
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)


@pytest.mark.parametrize("name", MODULES)
def test_a_module_of_regard_passes_the_battery(name):
    make, how = MODULES[name]
    check_attention(make(), **how)
