"""Ours and a plain loop of the same size on running text, in turns, by the minute.

Run as ``python -m benchmarks.language.novels next TRAIN TEST --minutes 20``: the next part of a
word, bits per character; or ``hidden``: hidden parts of words, nats of each. Sizes are those of the
recipes of en-gpt and en-bert.
"""

import argparse
import math
from typing import Any

import torch

from regard.data.batches import BatchConfig, Batches
from regard.data.running import TextFiles
from regard.models import build
from regard.models.text import BertConfig, EmbeddingConfig, TransformerEncoderConfig
from regard.tasks.fill_mask.objective import FillMaskObjective
from regard.tasks.fill_mask.task import FillMaskTask
from regard.tasks.text_generation.data import FileText
from regard.tasks.text_generation.task import TextGenerationTask

from .plain import PlainGPT
from .plain_bert import PlainBert
from .race import Contender, kept, raced, told
from .training import ours, plain

VOCAB = 4096
CONTEXT, GPT = 128, {"width": 256, "layers": 6, "heads": 8}
LENGTH, WIDTH, HIDDEN, LAYERS, HEADS = 96, 192, 768, 4, 4
TOKENS = 2048


def next_token(train: str, test: str) -> tuple[list[Contender], str]:
    """Language models: bits per character, which are nats per token times a constant."""
    vocabulary: Any = {"level": "bpe", "size": VOCAB}
    data = FileText(train=(train,), valid=(test,))
    task = TextGenerationTask(data=data, vocabulary=vocabulary)
    codec = task.learn()
    vocab = codec.sizes()["vocab"]
    model = build("gpt-small", vocab=vocab, context=CONTEXT)
    other = PlainGPT(vocab, context=CONTEXT, **GPT)
    held_out = task.data.valid_text()
    bits = len(codec.encode(held_out)) / len(held_out) / math.log(2)
    both = [
        ours(task, model, rows=TOKENS // CONTEXT, rate=2e-3, context=CONTEXT),
        plain(task, other, rows=TOKENS // CONTEXT, context=CONTEXT),
    ]
    return [scaled(one, bits) for one in both], "bits per character"


def scaled(one: Contender, factor: float) -> Contender:
    """The same, measured in another unit."""
    return one._replace(value=lambda: factor * one.value())


def hidden_tokens(train: str, test: str) -> tuple[list[Contender], str]:
    """Models of hidden tokens: nats of each; both read the very same batches."""
    vocabulary: Any = {"level": "bpe", "size": VOCAB}
    data = TextFiles(train=(train,), valid=(test,))
    task = FillMaskTask(data=data, vocabulary=vocabulary, length=LENGTH)
    codec = task.learn()
    vocab = codec.sizes()["vocab"]
    encoder = TransformerEncoderConfig(
        model_dim=WIDTH,
        num_heads=HEADS,
        num_layers=LAYERS,
        hidden_dim=HIDDEN,
        activation="gelu",
        position="rotary",
        dropout=0.05,
    )
    embedding = EmbeddingConfig(dim=WIDTH, dropout=0.0)
    model: Any = build(BertConfig(vocab=vocab, embedding=embedding, encoder=encoder))
    objective = FillMaskObjective(model)
    other = PlainBert(
        vocab, longest=LENGTH + 1, width=WIDTH, hidden=HIDDEN, layers=LAYERS, heads=HEADS
    )
    validator = task.validator(codec, max_tokens=8192, longest=None)
    first, second = (_endless(task, codec) for _ in range(2))

    def our_loss() -> torch.Tensor:
        one = next(first)
        return objective(one).total / one.num_targets

    def their_loss() -> torch.Tensor:
        one = next(second)
        return other.surprise(one) / one.num_targets

    def our_value() -> float:
        return validator.validate(model).scores["loss"] or math.inf

    @torch.no_grad()
    def their_value() -> float:
        other.eval()
        total = count = 0.0
        for one in validator.batches():
            total, count = total + other.surprise(one).item(), count + len(one.targets)
        other.train()
        return total / count

    both = [
        Contender("regard", objective, our_loss, our_value, 2e-3),
        Contender("plain loop", other, their_loss, their_value, 1e-3),
    ]
    return both, "nats per hidden token"


def _endless(task: FillMaskTask, codec: Any) -> Any:
    batches = Batches(task.pools(codec, longest=None), BatchConfig(max_tokens=TOKENS))
    return (one for _ in iter(int, 1) for one in batches)


def main() -> None:
    """One of the races, as a result to be kept."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("what", choices=("next", "hidden"))
    words.add_argument("train")
    words.add_argument("test")
    words.add_argument("--minutes", type=float, default=20.0)
    words.add_argument("--points", type=int, default=10)
    words.add_argument("--threads", type=int, default=2)
    said = words.parse_args()
    torch.set_num_threads(said.threads)
    torch.manual_seed(0)
    make = next_token if said.what == "next" else hidden_tokens
    contenders, unit = make(said.train, said.test)
    curves = raced(contenders, minutes=said.minutes, points=said.points)
    command = (
        f"python -m benchmarks.language.novels {said.what} train.txt.gz test.txt.gz "
        f"--minutes {said.minutes:g}"
    )
    kept(f"novels-{said.what}", {"command": command, "unit": unit, "curves": told(curves)})


if __name__ == "__main__":
    main()
