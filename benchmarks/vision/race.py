"""Images a second in training: ours, plain torch and timm of the same shape, in turns.

Run as ``python -m benchmarks.vision.race --out benchmarks/results/vision-race.json``. Every turn is
a few updates of each by the same optimiser on the same pictures; the ratio is the median over the
turns, so that what is slow in a turn is slow for all.
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from regard.models import build

from ..timing import Samples, ratios
from . import timm_peers
from .plain import PlainResNet, PlainViT

ROWS, UPDATES = 128, 4
CNN = {"stem": 24, "widths": (48, 80, 96), "blocks": (1, 1, 1), "strides": (2, 2, 2)}
VIT = {"patch": 4, "width": 96, "layers": 4, "heads": 3, "hidden": 192}
RACES: dict[str, dict[str, Callable[[], nn.Module]]] = {
    "cnn": {
        "regard": lambda: build("cnn", labels=10),
        "torch": lambda: PlainResNet(**CNN),  # type: ignore[arg-type]
        "timm": lambda: timm_peers.resnet(**CNN),  # type: ignore[arg-type]
    },
    "vit": {
        "regard": lambda: build("vit", labels=10),
        "torch": lambda: PlainViT(**VIT),
        "timm": lambda: timm_peers.vit(**VIT),
    },
}


class Runner:
    """A model that makes updates."""

    def __init__(self, model: nn.Module, pixels: Tensor, targets: Tensor) -> None:
        self.model, self.pixels, self.targets = model.train(), pixels, targets
        self.optimiser = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9, fused=True)

    def seconds(self) -> float:
        """Of one update."""
        start = time.perf_counter()
        for _ in range(UPDATES):
            cross_entropy(self.model(self.pixels), self.targets).backward()
            self.optimiser.step()
            self.optimiser.zero_grad(set_to_none=True)
        return (time.perf_counter() - start) / UPDATES


def race(name: str, turns: int) -> dict[str, Any]:
    """Everybody in turn."""
    pixels = torch.randint(256, (ROWS, 32, 32, 3), dtype=torch.uint8).permute(0, 3, 1, 2)
    targets = torch.randint(10, (ROWS,))
    runners, absent = {}, {}
    for who, make in RACES[name].items():
        try:
            runners[who] = Runner(make(), pixels, targets)
        except ImportError as error:
            absent[who] = str(error)
    for runner in runners.values():
        runner.seconds()
    took: dict[str, list[float]] = {who: [] for who in runners}
    for turn in range(turns):
        order = list(runners) if turn % 2 else list(reversed(runners))
        for who in order:
            took[who].append(runners[who].seconds())
    samples = {who: Samples(tuple(times)) for who, times in took.items()}
    return {
        "model": name,
        "parameters": {who: _size(one.model) for who, one in runners.items()},
        "images_per_second": {who: ROWS / median(one.seconds) for who, one in samples.items()},
        "ratio": _ratios(samples),
        "absent": absent,
    }


def _ratios(samples: dict[str, Samples]) -> dict[str, float]:
    """How many times as long the others take."""
    ours = samples["regard"]
    others = {who: one for who, one in samples.items() if one is not ours}
    return {who: median(ratios(one, ours)) for who, one in others.items()}


def _size(model: nn.Module) -> int:
    return sum(one.numel() for one in model.parameters())


def main() -> None:
    """Run the races, and print or keep what came of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--out", type=Path)
    said = parser.parse_args()
    torch.set_num_threads(said.threads)
    found = {
        "threads": said.threads,
        "rows": ROWS,
        "turns": said.turns,
        "races": [race(name, said.turns) for name in RACES],
    }
    text = json.dumps(found, indent=1)
    print(text)
    if said.out is not None:
        said.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
