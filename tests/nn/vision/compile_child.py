"""Compiles and exports every vision module; run as a script by ``test_compile.py``.

A process of its own, because the shape checks of the test run are no part of what users compile.
Prints a JSON object: for each way and case "" or what went wrong.
"""

import json
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import torch
from torch.testing import assert_close

from nn.vision.cases import CASES, randomised


def compiled(module):
    return torch.compile(module, backend="eager", fullgraph=True)


def exported(module):
    return lambda *inputs: torch.export.export(module, inputs).module()(*inputs)


def failure(case, way):
    """What goes wrong."""
    torch._dynamo.reset()
    module, inputs = randomised(case.make()), case.inputs()
    try:
        expected = module(*inputs)
        found = way(module)(*inputs)
        assert_close(found, expected)
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:500]
    return ""


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    ways = {"compile": compiled, "export": exported}
    found = {f"{name} {case}": failure(case, way) for name, way in ways.items() for case in CASES}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
