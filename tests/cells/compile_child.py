"""Compiles and exports a step of every cell; run as a script by ``test_compile.py``.

A process of its own, because the shape checks of the test run are no part of what users compile.
Prints a JSON object: for each way and cell "" or what went wrong.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch
from torch.testing import assert_close

from cells.every import CELLS, INPUT, begun, leaves
from regard.cells import Recurrent


class Step(torch.nn.Module):
    """One step from a fixed state, as a function of its input."""

    def __init__(self, cell):
        super().__init__()
        _, self.state = Recurrent(cell)(torch.randn(2, 3, INPUT), begun(cell, 2).detach())
        self.state = self.state.detach()
        self.cell = cell

    def forward(self, x):
        output, state = self.cell(x, self.state)
        return [output, *leaves(state)]


class Run(torch.nn.Module):
    """A whole run, with lengths."""

    def __init__(self, cell):
        super().__init__()
        self.recurrent = Recurrent(cell)

    def forward(self, x):
        x = x.unsqueeze(1).expand(2, 3, INPUT)
        output, state = self.recurrent(x, lengths=torch.tensor([3, 1]))
        return [output, *leaves(state)]


def compiled(module):
    return torch.compile(module, backend="eager", fullgraph=True)


def exported(module):
    return lambda x: torch.export.export(module, (x,)).module()(x)


def failure(cell, form, way):
    """What goes wrong, in value or in gradient."""
    torch._dynamo.reset()
    module, x = form(cell).eval(), torch.randn(2, INPUT)
    try:
        expected = module(x)
        found = way(module)(x)
        assert_close(found, expected)
        if way is compiled:
            cells = list(cell.parameters())
            wanted = torch.autograd.grad(expected[0].sum(), cells, allow_unused=True)
            assert_close(torch.autograd.grad(found[0].sum(), cells, allow_unused=True), wanted)
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:500]
    return ""


WAYS = {
    "a compiled step": (Step, compiled),
    "an exported step": (Step, exported),
    "a compiled run": (Run, compiled),
}
# Every cell runs in the same loop, and what is compiled whole can be exported: a few stand for all.
CASES = [
    *(("a compiled step", name) for name in CELLS),
    *(("an exported step", name) for name in ("GRU after", "LSTMN", "DeepFusion")),
    *(("a compiled run", name) for name in ("LSTM", "LSTMN")),
]

if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(0)
    found = {f"{way} of {name}": failure(CELLS[name](), *WAYS[way]) for way, name in CASES}
    print(json.dumps(found))
