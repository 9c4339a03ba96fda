"""Compiles and exports every position; run as a script by ``test_modules.py``.

A process of its own, because the shape checks of the test run are no part of what users compile.
Prints a JSON object: for each case "" or what went wrong.
"""

import json
import sys
import warnings

import torch
from everything import MODULES, Looking, vectors
from torch.testing import assert_close


def compiled(module, x):
    torch.compiler.reset()
    return torch.compile(module, backend="eager", fullgraph=True)(x)


def exported(module, x):
    return torch.export.export(module, (x,)).module()(x)


HOW = {"compile": compiled, "export": exported}


def failure(name, how):
    torch.manual_seed(0)
    module, x = Looking(MODULES[name]()).eval(), vectors()
    try:
        with torch.no_grad():
            assert_close(HOW[how](module, x), module(x))
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:600]
    return ""


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    json.dump({f"{name}, {how}": failure(name, how) for name in MODULES for how in HOW}, sys.stdout)
