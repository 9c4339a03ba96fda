"""The far end of :mod:`benchmarks.commits`: runs what a line of its input names, and says how long.

It imports the regard that ``PYTHONPATH`` names and takes what every commit has: ``attend``,
``models.build``, ``decode``; recipes and translators from where that commit keeps them.
"""

import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import torch
from torch.nn.functional import cross_entropy

import regard
from regard.decoding import Beam, Greedy, Limits, decode

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


class Steps(threading.Thread):
    """A whole run, as its recipe has it, that makes a step when it is asked for one.

    Args:
        preset: what is trained, on our grammar.
    """

    def __init__(self, preset: str) -> None:
        super().__init__(daemon=True)
        self.preset, self.asked, self.made = preset, threading.Semaphore(0), threading.Semaphore(0)
        self.start()

    def __call__(self) -> None:
        """One step; the first one waits for the run to begin."""
        self.asked.release()
        self.made.acquire()

    def run(self) -> None:
        """Train; no step is measured that validates or saves."""
        try:
            from regard.tasks.translation import GrammarData, recipe
            from regard.training import Budget, Observer, launch
        except ImportError:  # before there were tasks
            from regard.training import Observer, launch, recipe  # type: ignore
            from regard.training.config import Budget, GrammarData  # type: ignore

        steps = self

        class Paced(Observer):
            def started(self, run: Any) -> None:
                steps.asked.acquire()

            def updated(self, run: Any, update: Any) -> None:
                steps.made.release()
                steps.asked.acquire()

        settings, changes = recipe(self.preset, GrammarData(), Budget(steps=100_000))
        seldom = {"validate_every": 100_000, "save_every": 100_000, "log_every": 100_000}
        settings = settings.model_copy(update=seldom)
        with tempfile.TemporaryDirectory() as folder:
            launch(settings, self.preset, Path(folder) / "run", changes=changes, observer=Paced())


def translating(name: str, beam: int) -> Call:
    """A hundred sentences by a translator that ships, its lines read as they are."""
    folder = Path(sys.argv[2]) / name
    if hasattr(regard, "load"):
        translator: Any = regard.load(folder)
        translator.typing = None
    else:
        from regard.training import load_translator  # type: ignore[attr-defined]

        translator = load_translator(folder)
    nouns = ("cat", "old woman", "small black dog", "man of the house", "bird")
    verbs = ("sees", "loves", "does not want to eat", "will never find")
    sentences = [
        f"the {one} {verb} the {other}." for one, verb, other in product(nouns, verbs, nouns)
    ]

    def call() -> None:
        translator.translate(sentences, strategy=Beam(size=beam, length_penalty=1.0))

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
    "recipe bahdanau-small, a step": lambda: Steps("bahdanau-small"),
    "recipe transformer-small, a step": lambda: Steps("transformer-small"),
    "decode bahdanau-small, 1 greedy": lambda: decoding("bahdanau-small", 1, 1),
    "decode bahdanau-small, 32 beam": lambda: decoding("bahdanau-small", 32, 5),
    "decode transformer-small, 1 greedy": lambda: decoding("transformer-small", 1, 1),
    "decode transformer-small, 32 beam": lambda: decoding("transformer-small", 32, 5),
    "translate en-fr-bahdanau, 100 beam": lambda: translating("en-fr-bahdanau", 5),
    "translate en-fr-transformer, 100 beam": lambda: translating("en-fr-transformer", 5),
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
