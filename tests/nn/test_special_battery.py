"""The special mechanisms before the public battery of checks."""

import pytest
import torch

from regard import masks
from regard.nn import (
    AgentAwareAttention,
    AttentionPooling,
    NadarayaWatson,
    PairBiasedAttention,
    TimeMixing,
)
from regard.testing import check_attention

PAIRS = torch.randn(16, 16, 5, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def pooled(module, query, key, value, allowed):
    """The learned queries look, whatever the query."""
    return module(key, None if allowed is None else allowed[:, 0], value=value)


def regressed(module, query, key, value, allowed):
    return module(query, key, value, None if allowed is None else masks.dense(allowed))


def among_agents(module, query, key, value, allowed):
    mask = None if allowed is None else masks.dense(allowed.unsqueeze(1))
    return module(
        query,
        key,
        agents=torch.arange(query.shape[-2]) % 2,
        key_agents=torch.arange(key.shape[-2]) % 2,
        mask=mask,
    )


def in_rows(module, query, key, value, allowed):
    """The batch as rows of one array."""
    mask = None if allowed is None else masks.dense(allowed.unsqueeze(1))
    length = query.shape[-2]
    return module(query, PAIRS[:length, :length].to(query), mask)


PROMISED = {"determinism", "dtype", "state", "batch", "gradient"}

CASES = {
    "pooling": (
        lambda: AttentionPooling(6, 4),
        {"call": pooled, "masks": "keys", "only": PROMISED},  # others ask for more or fewer queries
    ),
    "nadaraya_watson": (
        lambda: NadarayaWatson(width=2.0, learnable=True),
        {"call": regressed, "query_dim": 3, "value_dim": 4},
    ),
    "agent_aware": (
        lambda: AgentAwareAttention(6, 2, key_dim=4),
        {"call": among_agents, "ordered": True, "value_dim": 4},
    ),
    "pair_biased": (
        lambda: PairBiasedAttention(6, 2, pair_dim=5),
        {"call": in_rows, "itself": True, "ordered": True, "pooled": False},
    ),
    "time_mixing": (lambda: TimeMixing(6, 5), {"pooled": False}),
}


@pytest.mark.parametrize("name", CASES)
def test_the_mechanism_keeps_every_promise(name):
    make, traits = CASES[name]
    torch.manual_seed(0)
    report = check_attention(make(), **traits)
    passed = {result.name for result in report.results if result.verdict == "passed"}
    assert passed >= PROMISED
