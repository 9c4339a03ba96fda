"""Measures the memory of attention; run as a script by ``test_memory.py``.

A process of its own, because whatever ran before in the test run leaves its marks in the memory.
Prints a JSON object of bytes: ``peaks N…`` for each mechanism, above the start, of one training
pass at each N; ``calls COUNT`` what is held after a fifth, two fifths, … of so many calls of every
path.
"""

import json
import sys
from functools import partial

import torch

from benchmarks.memory import peak_of, resident_bytes
from regard import attend, masks, scores

MECHANISMS = {
    "additive": lambda v: {"score": scores.Additive(v)},
    "sparsemax": lambda v: {"normalise": "sparsemax"},
    "entmax": lambda v: {"normalise": "entmax15"},
}
PATHS = {
    "reference": {"path": "reference", "mask": masks.causal()},
    "lower": {"path": "lower", "mask": masks.causal() & masks.padding([50])},
    "window": {"path": "window", "mask": masks.window(5, 3)},
    "stream": {"path": "stream", "mask": masks.strided(7)},
    "stream, additive": {"path": "stream"},
    "stream, sparsemax": {"path": "stream", "normalise": "sparsemax"},
}
WARM = 50
"""Calls before the first reading: the allocator's own books, autograd's threads."""


def training_pass(positions: int, width: int = 64):
    generator = torch.Generator().manual_seed(0)
    shape = (1, 1, positions, width)
    inputs = [torch.randn(shape, generator=generator, requires_grad=True) for _ in range(3)]
    v = (torch.randn(width, generator=generator) / 8).requires_grad_()
    gradient = torch.randn(shape, generator=generator)

    def run(**choices) -> None:
        attend(*inputs, **choices).backward(gradient)
        for leaf in (*inputs, v):
            leaf.grad = None

    return run, v


def peaks(sizes: list[int]) -> dict[str, list[int]]:
    found = {}
    for name, choices in MECHANISMS.items():
        run, v = training_pass(300)
        run(**choices(v))  # loads the kernels
        found[name] = []
        for positions in sizes:
            run, v = training_pass(positions)
            found[name].append(peak_of(partial(run, **choices(v)))[0])
    return found


def held(count: int) -> dict[str, list[int]]:
    found = {}
    for name, choices in PATHS.items():
        run, v = training_pass(70, width=5)
        if name == "stream, additive":
            run, v = training_pass(200, width=16)  # enough for a second thread
            choices = choices | {"score": scores.Additive(v)}
        for _ in range(WARM):
            run(**choices)
        found[name] = []
        for _ in range(5):
            for _ in range(count // 5):
                run(**choices)
            found[name].append(resident_bytes("VmRSS"))
    return found


if __name__ == "__main__":
    torch.set_num_threads(2)
    what, *numbers = sys.argv[1:]
    print(json.dumps((peaks if what == "peaks" else lambda n: held(n[0]))([*map(int, numbers)])))
