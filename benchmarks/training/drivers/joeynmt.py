"""JoeyNMT's own training loop on its own batches."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from joeynmt.config import parse_global_args, set_validation_args
from joeynmt.prediction import prepare
from joeynmt.training import TrainManager
from joeynmt.transformer_layers import MultiHeadedAttention

from .loop import parameters
from .protocol import Amount, Job, Meter, job, opened, versions
from .sizes import CLIP, DROPOUT, HEADS, INNER, LAYERS, RATE, SMOOTHING, WIDTH

EMBEDDINGS = {"embedding_dim": WIDTH, "scale": True, "dropout": DROPOUT}
TRANSFORMER_SIDE = {
    "type": "transformer",
    "num_layers": LAYERS,
    "num_heads": HEADS,
    "hidden_size": WIDTH,
    "ff_size": INNER,
    "dropout": DROPOUT,
    "layer_norm": "pre",
    "embeddings": EMBEDDINGS,
}
GRU_SIDE = {
    "type": "recurrent",
    "rnn_type": "gru",
    "num_layers": 1,
    "hidden_size": WIDTH,
    "dropout": DROPOUT,
    "embeddings": EMBEDDINGS,
}
MODELS: dict[str, dict[str, Any]] = {
    "transformer": {
        "initializer": "xavier_uniform",
        "tied_embeddings": True,
        "tied_softmax": True,
        "encoder": TRANSFORMER_SIDE,
        "decoder": TRANSFORMER_SIDE,
    },
    "gru": {
        "encoder": {**GRU_SIDE, "bidirectional": True},
        "decoder": {
            **GRU_SIDE,
            "attention": "bahdanau",
            "input_feeding": True,
            "init_hidden": "bridge",
            "hidden_dropout": DROPOUT,
        },
    },
}


def side(folder: Path, name: str) -> dict[str, Any]:
    """Text that is split into pieces already."""
    voc_file = str(folder / "vocabulary.txt")
    return {"lang": name, "level": "word", "voc_file": voc_file, "max_length": -1}


def config(job: Job) -> dict[str, Any]:
    """A configuration file as a dict."""
    output = job.folder / f"joeynmt-{job.architecture}"
    output.mkdir(exist_ok=True)
    return {
        "name": "bench",
        "model_dir": str(output),
        "use_cuda": False,
        "data": {
            "train": str(job.folder / "train"),
            "dev": str(job.folder / "valid"),
            "src": side(job.folder, "source"),
            "trg": side(job.folder, "target"),
        },
        "testing": {},
        "training": {
            "batch_size": job.max_tokens,
            "batch_type": "token",
            "normalization": "tokens",
            "label_smoothing": SMOOTHING,
            "optimizer": "adam",
            "adam_betas": [0.9, 0.98],
            "learning_rate": RATE,
            "scheduling": "noam",
            "clip_grad_norm": CLIP,
            "epochs": 10**6,
            "validation_freq": 10**9,
            "logging_freq": 10**9,
        },
        "model": MODELS[job.architecture],
    }


def amount(batch: Any) -> Amount:
    """The size of a batch."""
    rows, source_width = batch.src.shape
    return Amount(
        rows=rows,
        source_tokens=int(batch.src_length.sum()),
        target_tokens=int(batch.ntokens),
        padded=rows * max(source_width, batch.trg.shape[1]),
    )


class Metered:
    """JoeyNMT's loader of batches, with pauses."""

    def __init__(self, loader: Any, meter: Meter) -> None:
        self._loader = loader
        self._meter = meter

    def __iter__(self) -> Iterator[Any]:
        """The batches of an epoch."""
        return self._meter.over(self._loader, amount)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


def main() -> None:
    """Train until told to stop."""
    asked = job(sys.argv[1:])
    torch.set_num_threads(asked.threads)
    meter = opened()
    arguments = parse_global_args(config(asked), rank=0, mode="train")
    model, train_data, dev_data, _ = prepare(arguments, rank=0, mode="train")
    for module in model.modules():
        if isinstance(module, MultiHeadedAttention):
            module.dropout.p = 0.0  # nobody drops attention weights here
    trainer = TrainManager(
        rank=0,
        model=model,
        model_dir=arguments.model_dir,
        device=arguments.device,
        autocast=arguments.autocast,
        seed=arguments.seed,
        train_args=arguments.train,
        dev_args=set_validation_args(arguments.test),
    )
    make_iter = train_data.make_iter
    train_data.make_iter = lambda **settings: Metered(make_iter(**settings), meter)
    meter.ready(parameters=parameters(model), versions=versions("joeynmt", "torch"))
    trainer.train_and_validate(train_data=train_data, valid_data=dev_data)


if __name__ == "__main__":
    main()
