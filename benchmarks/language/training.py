"""Ours and a plain loop of the same size, in turns: validation nats by the minute.

Run as ``python -m benchmarks.language.training TEXT --minutes 3``: characters, four layers of 128,
context 64. Turns are of a few seconds, so that both have the same machine.
"""

import argparse
from pathlib import Path
from typing import Any

import torch
from torch.nn.functional import cross_entropy

from regard.data.batches import BatchConfig, Batches
from regard.models import build
from regard.tasks.text_generation.data import FileText
from regard.tasks.text_generation.objective import LanguageObjective
from regard.tasks.text_generation.scoring import surprise
from regard.tasks.text_generation.task import TextGenerationTask

from .plain import PlainGPT, batch
from .race import Contender, kept, raced, told

CONTEXT, WIDTH, LAYERS, HEADS = 64, 128, 4, 4
PLAIN_ROWS, PLAIN_RATE = 12, 1e-3
"""nanoGPT's on a CPU."""


def ours(
    task: TextGenerationTask, model: Any, *, rows: int, rate: float, context: int
) -> Contender:
    """A language model of ours, trained as ``regard train text-generation`` trains it."""
    codec = task.learn()
    objective = LanguageObjective(model)
    pools = task.pools(codec, longest=context)
    batches = Batches(pools, BatchConfig(max_tokens=rows * context))
    endless = (one for _ in iter(int, 1) for one in batches)
    held_out = codec.encode(task.data.valid_text())

    def loss() -> torch.Tensor:
        one = next(endless)
        return objective(one).total / one.num_targets

    def value() -> float:
        return surprise(model, held_out, length=context, max_tokens=8192).mean

    return Contender("regard", objective, loss, value, rate)


def plain(task: TextGenerationTask, model: PlainGPT, *, rows: int, context: int) -> Contender:
    """The plain loop on the same text."""
    codec = task.learn()
    text = torch.from_numpy(codec.encode(task.data.train_text()))
    held_out = torch.from_numpy(codec.encode(task.data.valid_text()))
    pairs = held_out[: (len(held_out) - 1) // context * context + 1]

    def loss() -> torch.Tensor:
        tokens, targets = batch(text, rows, context)
        return cross_entropy(model(tokens).flatten(0, 1), targets.flatten())

    @torch.no_grad()
    def value() -> float:
        windows = zip(
            pairs[:-1].view(-1, context).split(64),
            pairs[1:].view(-1, context).split(64),
            strict=True,
        )
        total = sum(
            cross_entropy(model(one).flatten(0, 1), wanted.flatten(), reduction="sum").item()
            for one, wanted in windows
        )
        return total / (len(pairs) - 1)

    return Contender("plain loop", model, loss, value, PLAIN_RATE)


def main() -> None:
    """The race, as a result to be kept."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("text", type=Path)
    words.add_argument("--minutes", type=float, default=3.0)
    words.add_argument("--rows", type=int, default=32)
    words.add_argument("--rate", type=float, default=4e-3)
    words.add_argument("--threads", type=int, default=2)
    said = words.parse_args()
    torch.set_num_threads(said.threads)
    task = TextGenerationTask(data=FileText(train=(str(said.text),)))
    vocab = task.learn().sizes()["vocab"]
    torch.manual_seed(0)
    model = build("gpt-tiny", vocab=vocab)
    other = PlainGPT(vocab, context=CONTEXT, width=WIDTH, layers=LAYERS, heads=HEADS)
    curves = raced(
        [
            ours(task, model, rows=said.rows, rate=said.rate, context=CONTEXT),
            plain(task, other, rows=PLAIN_ROWS, context=CONTEXT),
        ],
        minutes=said.minutes,
        points=max(1, round(said.minutes)),
    )
    command = f"python -m benchmarks.language.training {said.text.name} --minutes {said.minutes:g}"
    kept("shakespeare", {"command": command, "unit": "nats", "curves": told(curves)})


if __name__ == "__main__":
    main()
