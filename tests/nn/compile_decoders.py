"""Compiles and exports decoder attentions; run as a script by ``test_decoder_compile.py``.

A process of its own, because the shape checks of the test run are no part of what users compile.
Prints a JSON object: for each case "" or what went wrong.
"""

import json
import sys
import warnings

import torch
from torch import nn
from torch.testing import assert_close

from regard.nn import BahdanauAttention, HardAttention, LocalAttention, LuongAttention

ATTENTIONS = {
    "bahdanau": lambda: BahdanauAttention(5, 4, 3),
    "general": lambda: LuongAttention(5, 4, "general"),
    "local-m": lambda: LocalAttention(5, 4, half_width=1),
    "local-p": lambda: LocalAttention(5, 4, half_width=2, predictive=True),
    "gumbel": lambda: HardAttention(5, 4, estimator="gumbel"),
}
AT_ONCE = ("bahdanau", "local-p")
"""Those whose contexts for all steps at once are compiled, too."""


class Step(nn.Module):
    """A memory made and looked at once."""

    def __init__(self, attention):
        super().__init__()
        self.attention = attention
        self.more = {"step": 2} if getattr(attention, "predictive", True) is False else {}

    def forward(self, state, keys, lengths):
        return self.attention(state, self.attention.prepare(keys, lengths), **self.more)


class Steps(Step):
    """A memory made and looked at by all steps."""

    def forward(self, state, keys, lengths):
        states = state.unsqueeze(1).repeat(1, 3, 1)
        return (self.attention.contexts(states, self.attention.prepare(keys, lengths)),)


def inputs(module):
    generator = torch.Generator().manual_seed(0)
    state = torch.randn(2, 5, generator=generator)
    keys = torch.randn(2, 7, module.attention.key_dim, generator=generator)
    return state, keys, torch.tensor([4, 7])


def gradients(function, vectors, lengths):
    """What comes out, and the gradients of it."""
    torch.manual_seed(0)
    vectors = [x.clone().requires_grad_() for x in vectors]
    found = function(*vectors, lengths)
    torch.autograd.backward([x.square().sum() for x in found if x.requires_grad])
    return [x.detach() for x in found], [x.grad for x in vectors if x.grad is not None]


def compiled(module):
    torch._dynamo.reset()
    *vectors, lengths = inputs(module)
    whole = torch.compile(module, backend="eager", fullgraph=True)
    assert_close(gradients(whole, vectors, lengths), gradients(module, vectors, lengths))


def exported(module):
    module.eval()
    program = torch.export.export(module, inputs(module))
    assert_close(program.module()(*inputs(module)), module(*inputs(module)))


def failure(check, module):
    try:
        check(module)
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:2000]
    return ""


def main():
    warnings.simplefilter("ignore")
    found = {}
    for name, make in ATTENTIONS.items():
        torch.manual_seed(1)
        found[f"{name} compiled"] = failure(compiled, Step(make()))
        found[f"{name} exported"] = failure(exported, Step(make()))
        if name in AT_ONCE:
            found[f"{name} compiled, all steps"] = failure(compiled, Steps(make()))
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
