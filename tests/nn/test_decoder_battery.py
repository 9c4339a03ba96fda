"""Every decoder attention passes the public battery, as what it says it is."""

import pytest
import torch

from regard.nn import BahdanauAttention, HardAttention, LocalAttention, LuongAttention
from regard.testing import CHECKS, check_attention


def at_every_step(module, query, key, value, allowed):
    """Local attention around the steps 0, 1, 2 …"""
    mask = None if allowed is None else allowed[:, 0]
    memory = module.prepare(key, mask, values=value)
    steps = [module(state, memory, step=t) for t, state in enumerate(query.unbind(-2))]
    contexts, weights = zip(*steps, strict=True)
    return torch.stack(contexts, dim=-2), torch.stack(weights, dim=-2)


# What is picked is one key: the weights say how likely, and no finite difference sees its gradient.
PICKED = {"pooled": False, "only": [name for name in CHECKS if name != "gradient"]}
CASES = {
    "bahdanau": (lambda: BahdanauAttention(5, 4, 3), {}),
    "dot": (lambda: LuongAttention(5, 5), {}),
    "general": (lambda: LuongAttention(5, 4, "general"), {}),
    "concat": (lambda: LuongAttention(5, 4, "concat"), {}),
    "location": (lambda: LuongAttention(5, 4, "location", max_length=8), {"ordered": True}),
    "local-m": (
        lambda: LocalAttention(5, 4, half_width=1),
        {"ordered": True, "total": "at most one", "masks": "keys", "call": at_every_step},
    ),
    "local-p": (
        lambda: LocalAttention(5, 4, half_width=2, predictive=True),
        {"ordered": True, "total": "at most one"},
    ),
    "reinforce": (lambda: HardAttention(5, 4), PICKED),
    "straight_through": (lambda: HardAttention(5, 4, estimator="straight_through"), PICKED),
    "gumbel": (lambda: HardAttention(5, 4, estimator="gumbel"), PICKED),
}


@pytest.mark.parametrize("name", CASES)
def test_it_passes_the_battery(name):
    make, traits = CASES[name]
    report = check_attention(make(), **traits)
    assert sum(result.verdict == "passed" for result in report.results) >= 8
