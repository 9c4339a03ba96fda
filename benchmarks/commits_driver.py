"""The far end of :mod:`benchmarks.commits`: runs what a line of its input names, and says how long.

It imports the regard that ``PYTHONPATH`` names and takes only what every commit has: ``attend``,
``models.build``, ``decode``.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
from torch.nn.functional import cross_entropy

import regard
from regard.decoding import Beam, Greedy, decode
from regard.decoding.limits import Limits

Call = Callable[[], None]

VOCABULARY, BATCH, LENGTH = 4000, 32, 20


def kernel(score: str, shape: tuple[int, ...], backward: bool, **choices: Any) -> Call:
    """An attention, forward or with its gradients."""
    query, key, value = (torch.randn(shape, requires_grad=backward) for _ in range(3))
    width = shape[-1]

    def chosen() -> Any:
        if score == "additive":
            return regard.scores.Additive(torch.ones(width))
        return score

    def call() -> None:
        out = regard.attend(query, key, value, score=chosen(), **choices)
        if backward:
            out.sum().backward()

    return call


def training(preset: str) -> Call:
    """An update of a model on random tokens of unequal lengths."""
    model = regard.models.build(preset, source_vocab=VOCABULARY, target_vocab=VOCABULARY)
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-4)
    source, target = (torch.randint(4, VOCABULARY, (BATCH, LENGTH)) for _ in range(2))
    lengths = torch.arange(BATCH) % (LENGTH // 2) + LENGTH // 2

    def call() -> None:
        logits = model(source, lengths, target)
        cross_entropy(logits.flatten(0, 1), target.flatten()).backward()
        optimiser.step()
        optimiser.zero_grad()

    return call


def decoding(preset: str, batch: int, beam: int) -> Call:
    """A search of 24 tokens, with random weights and no end."""
    model: Any = regard.models.build(preset, source_vocab=VOCABULARY, target_vocab=VOCABULARY)
    model.eval()
    sources = torch.randint(4, VOCABULARY, (batch, LENGTH)).tolist()
    strategy = Beam(size=beam) if beam > 1 else Greedy()
    limits = Limits(min_length=24, max_length=24)

    def call() -> None:
        decode(model, sources, strategy=strategy, limits=limits)

    return call


CASES: dict[str, Callable[[], Call]] = {
    "attend 32×8×32×64": lambda: kernel("scaled_dot", (32, 8, 32, 64), False),
    "attend 1×8×2048×64, backward": lambda: kernel("scaled_dot", (1, 8, 2048, 64), True),
    "causal 8×8×256×64, backward": lambda: kernel(
        "scaled_dot", (8, 8, 256, 64), True, mask="causal"
    ),
    "additive 1×1×1024×64, backward": lambda: kernel("additive", (1, 1, 1024, 64), True),
    "sparsemax 1×8×1024×64, backward": lambda: kernel(
        "scaled_dot", (1, 8, 1024, 64), True, normalise="sparsemax"
    ),
    "window 1×8×4096×64": lambda: kernel(
        "scaled_dot", (1, 8, 4096, 64), False, mask=regard.masks.window(128, 0)
    ),
    "train bahdanau-small": lambda: training("bahdanau-small"),
    "train luong-general-small": lambda: training("luong-general-small"),
    "train transformer-small": lambda: training("transformer-small"),
    "decode bahdanau-small, 1 greedy": lambda: decoding("bahdanau-small", 1, 1),
    "decode bahdanau-small, 32 beam": lambda: decoding("bahdanau-small", 32, 5),
    "decode transformer-small, 1 greedy": lambda: decoding("transformer-small", 1, 1),
    "decode transformer-small, 32 beam": lambda: decoding("transformer-small", 32, 5),
}


def main() -> None:
    """Answer lines ``<name> TAB <calls>`` with seconds per call."""
    torch.set_num_threads(int(sys.argv[1]))
    ready: dict[str, Call] = {}
    for line in sys.stdin:
        name, calls = line.rstrip("\n").split("\t")
        if name not in ready:
            torch.manual_seed(0)
            ready[name] = CASES[name]()
            ready[name]()
        began = time.perf_counter()
        for _ in range(int(calls)):
            ready[name]()
        print(json.dumps((time.perf_counter() - began) / int(calls)), flush=True)


if __name__ == "__main__":
    main()
