"""Compiles and exports attention modules whole; run as a script by ``test_multihead_compile.py``.

A process of its own, because the shape checks of the test run are no part of what users compile.
Prints a JSON object: for each case "" or what went wrong.
"""

import json
import sys
import warnings

import torch
from torch.testing import assert_close

from regard.nn import MultiHeadAttention, SelfAttention
from regard.positions import Alibi, Rotary

MODULES = {
    "causal": MultiHeadAttention(12, 3, mask="causal"),
    "grouped": MultiHeadAttention(12, 6, num_key_heads=2, score="general"),
    "grouped causal": MultiHeadAttention(12, 6, num_key_heads=3, mask="causal", position=Rotary(2)),
    "alibi": MultiHeadAttention(12, 3, mask="causal", position=Alibi(3)),
    "another length": SelfAttention(12, 1, input_length=7, output_length=2),
}


def compiled(module, x, y, **call):
    torch.compiler.reset()
    whole = torch.compile(module, fullgraph=True, backend="eager")
    for given in (x, y):
        assert_close(whole(given, **call), module(given, **call))


def exported(module, x, y, **call):
    program = torch.export.export(module, (x,), call)
    assert_close(program.module()(y, **call), module(y, **call))


def cross(module, x, y):
    torch.compiler.reset()
    whole = torch.compile(module, fullgraph=True, backend="eager")
    assert_close(whole(x, y), module(x, y))


def failure(check, *args, **call):
    try:
        check(*args, **call)
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:400]
    return ""


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    x, y = torch.randn(2, 2, 7, 12)
    lengths = {"mask": torch.tensor([3, 6])}
    found = {}
    for name, module in MODULES.items():
        module.eval().requires_grad_(False)
        found[f"compile {name}"] = failure(compiled, module, x, y)
        found[f"export {name}"] = failure(exported, module, x, y)
    found["compile lengths"] = failure(compiled, MODULES["causal"], x, y, **lengths)
    found["export lengths"] = failure(exported, MODULES["causal"], x, y, **lengths)
    found["compile cross"] = failure(cross, MultiHeadAttention(12, 3), x, y[:, :5])
    found["compile training"] = failure(compiled, MultiHeadAttention(12, 3, mask="causal"), x, y)
    json.dump(found, sys.stdout)
