"""regard: its models, its batches, its update."""

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from regard.data.batches import BatchConfig, Batches, FinitePools
from regard.data.batches.pools import RaggedBuilder
from regard.models import Seq2Seq, build
from regard.tasks.translation.config import LossConfig
from regard.tasks.translation.corpus import Batch, Corpus
from regard.tasks.translation.objective import TranslationObjective
from regard.training.processes import Processes
from regard.training.settings import OptimisationConfig
from regard.training.update import Updater

from .loop import parameters
from .protocol import Amount, Job, Meter, job, opened, versions
from .sizes import CLIP, DROPOUT, HEADS, INNER, LAYERS, RATE, SMOOTHING, WIDTH
from .text import Pair, pairs, vocabulary

MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "gru": (
        "bahdanau-small",
        {
            "embedding_dim": WIDTH,
            "hidden_dim": WIDTH,
            "attention_dim": WIDTH,
            "readout_dim": WIDTH,
            "readout": "tanh",  # as the peers have it
            "dropout": DROPOUT,
        },
    ),
    "transformer": (
        "transformer-small",
        {
            "model_dim": WIDTH,
            "num_heads": HEADS,
            "encoder_layers": LAYERS,
            "decoder_layers": LAYERS,
            "hidden_dim": INNER,
            "dropout": DROPOUT,
            "tied": True,
            "shared": True,
        },
    ),
}


def model_of(architecture: str, vocab: int) -> Seq2Seq:
    """The model of this name."""
    preset, changes = MODELS[architecture]
    model = build(preset, source_vocab=vocab, target_vocab=vocab, **changes)
    assert isinstance(model, Seq2Seq)
    return model


def corpus(examples: list[Pair]) -> Corpus:
    """The pairs as they lie in memory during training."""
    source, target, links = RaggedBuilder(), RaggedBuilder(), RaggedBuilder()
    for source_ids, target_ids in examples:
        source.add(source_ids)
        target.add(target_ids)
        links.add([])
    gold = np.zeros(len(examples), dtype=np.bool_)
    return Corpus(source.built(), target.built(), links.built(), gold)


def epochs(batches: Batches[Batch]) -> Iterator[Batch]:
    """One epoch after the other."""
    while True:
        yield from batches


def amount(batch: Batch) -> Amount:
    """The size of a batch."""
    rows, source_width = batch.source.shape
    return Amount(
        rows=rows,
        source_tokens=int(batch.source_lengths.sum()),
        target_tokens=int(batch.target_lengths.sum()),
        padded=rows * max(source_width, batch.target_out.shape[1]),
    )


def train(asked: Job, meter: Meter) -> None:
    """Train until told to stop."""
    torch.set_num_threads(asked.threads)
    torch.manual_seed(0)
    numbers = vocabulary(asked.folder)
    pools = FinitePools(corpus(pairs(asked.folder, numbers)))
    batches = Batches(pools, BatchConfig(max_tokens=asked.max_tokens))
    model = model_of(asked.architecture, len(numbers)).train()
    objective = TranslationObjective(model, LossConfig(label_smoothing=SMOOTHING)).train()
    processes = Processes(objective, torch.device("cpu"))
    updater = Updater(processes, OptimisationConfig(rate=RATE, clip=CLIP))
    meter.ready(parameters=parameters(model), versions=versions("regard", "torch"))
    for step, batch in enumerate(meter.over(epochs(batches), amount), 1):
        updater.update(step, [batch])


if __name__ == "__main__":
    train(job(sys.argv[1:]), opened())
