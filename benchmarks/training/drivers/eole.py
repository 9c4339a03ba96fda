"""eole's own training loop on its own batches."""

import sys
from typing import Any

import torch
from eole.config.run import TrainConfig
from eole.constants import CorpusTask
from eole.inputters.dynamic_iterator import build_dynamic_dataset_iter
from eole.models.model import get_model_class
from eole.train_single import TrainingInitializer, configure_process
from eole.trainer import build_trainer
from eole.utils.optimizers import Optimizer

from .loop import parameters
from .protocol import Amount, Job, job, opened, versions
from .sizes import CLIP, DROPOUT, HEADS, INNER, LAYERS, RATE, SMOOTHING, SPECIALS, WIDTH

BUCKET = 2**15
"""Sentences that are sorted by length together, as many as with us."""

MODELS: dict[str, dict[str, Any]] = {
    "transformer": {
        "architecture": "transformer",
        "hidden_size": WIDTH,
        "layers": LAYERS,
        "heads": HEADS,
        "transformer_ff": INNER,
        "share_embeddings": True,
        "share_decoder_embeddings": True,
        "embeddings": {
            "word_vec_size": WIDTH,
            "position_encoding_type": "SinusoidalInterleaved",
        },
    },
    "gru": {
        "architecture": "custom",
        "hidden_size": WIDTH,
        "layers": 1,
        "input_feed": 1,
        "embeddings": {"word_vec_size": WIDTH},
        "encoder": {"encoder_type": "brnn", "rnn_type": "GRU"},
        "decoder": {"decoder_type": "rnn", "rnn_type": "GRU", "global_attention": "mlp"},
    },
}


def config(job: Job) -> TrainConfig:
    """A configuration file as an object."""
    pad, unk, bos, eos = SPECIALS
    return TrainConfig(
        data={
            "bench": {
                "path_src": str(job.folder / "train.source"),
                "path_tgt": str(job.folder / "train.target"),
            }
        },
        src_vocab=str(job.folder / "vocabulary.txt"),
        share_vocab=True,
        pad_token=pad,
        unk_token=unk,
        bos_token=bos,
        eos_token=eos,
        seed=1,
        report_every=10**9,
        model=MODELS[job.architecture],
        training={
            "model_path": str(job.folder / f"eole-{job.architecture}"),
            "batch_type": "tokens",
            "batch_size": job.max_tokens,
            "normalization": "tokens",
            "accum_count": [1],
            "bucket_size": BUCKET,
            "num_workers": 0,
            "optim": "adam",
            "adam_beta2": 0.98,
            "learning_rate": RATE,
            "max_grad_norm": CLIP,
            "label_smoothing": SMOOTHING,
            "dropout": [DROPOUT],
            "attention_dropout": [0.0],
            "compute_dtype": "fp32",
            "train_steps": 10**9,
            "valid_steps": 10**9,
            "save_checkpoint_steps": 0,
        },
    )


def amount(batch: tuple[Any, int], pad: int) -> Amount:
    """The size of a batch."""
    tensors, _ = batch
    rows, source_width = tensors["src"].shape[:2]
    predicted = tensors["tgt"][:, 1:]
    return Amount(
        rows=rows,
        source_tokens=int(tensors["srclen"].sum()),
        target_tokens=int(predicted.ne(pad).sum()),
        padded=rows * max(source_width, predicted.shape[1]),
    )


def main() -> None:
    """Train until told to stop."""
    asked = job(sys.argv[1:])
    meter = opened()
    settings = config(asked)
    configure_process(settings, -1)
    torch.set_num_threads(asked.threads)
    context = TrainingInitializer(settings).initialize()
    model = get_model_class(context.config.model).for_training(
        context.config.model, context.vocabs, context.config.training, device_id=-1
    )
    optimiser = Optimizer.from_config(model, context.config)
    trainer = build_trainer(context.config, -1, model, context.vocabs, optimiser)
    batches = build_dynamic_dataset_iter(
        context.config, context.transforms, context.vocabs, task=CorpusTask.TRAIN
    )
    pad = trainer.train_loss.padding_idx
    meter.ready(parameters=parameters(model), versions=versions("eole", "torch"))
    metered = meter.over(batches, lambda batch: amount(batch, pad))
    trainer.train(metered, train_steps=10**9, save_checkpoint_steps=0)


if __name__ == "__main__":
    main()
