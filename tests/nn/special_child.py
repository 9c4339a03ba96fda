"""Compiles and exports every special mechanism; run as a script by ``test_special_modes.py``.

A process of its own, because the shape checks of the test run are no part of what users compile.
Prints a JSON object: for each case "" or what went wrong.
"""

import json
import sys
import warnings
from pathlib import Path

import torch
from torch.testing import assert_close

sys.path.insert(0, str(Path(__file__).parent.parent))

from nn.special_cases import CASES


def compiled(case, module):
    return torch.compile(module, fullgraph=True, backend="eager")


def exported(case, module):
    return torch.export.export(module, tuple(case.tensors()), case.rest).module()


def failure(case, how):
    """What goes wrong when the module is turned into another form, in value or gradient."""
    torch.compiler.reset()
    module = case.made()
    try:
        expected = module(*case.tensors(), **case.rest)
        found = how(case, module)(*case.tensors(), **case.rest)
        assert_close(found, expected)
        if how is compiled:
            parameters = list(module.parameters())
            gradients = torch.autograd.grad(found.square().sum(), parameters)
            wanted = torch.autograd.grad(expected.square().sum(), parameters)
            assert_close(gradients, wanted)
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:600]
    return ""


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    forms = {"compile": compiled, "export": exported}
    found = {f"{case} {name}": failure(case, how) for case in CASES for name, how in forms.items()}
    json.dump(found, sys.stdout)
