"""Runs small enough to be repeated: a made-up language, and every kind of model in tiny sizes."""

import os
import signal
from pathlib import Path
from random import Random

import torch

from regard.data.batches import BatchConfig
from regard.storage import run_folder
from regard.tasks.translation import FileData, TranslationTask, VocabularyConfig
from regard.training import log
from regard.training.config import Budget, RunConfig, Settings
from regard.training.launch import launch, relaunch
from regard.training.run import Observer
from regard.training.settings import OptimisationConfig

WORDS = {"bo": "ti", "da": "ru", "fe": "sa", "gi": "mo", "ku": "ne", "la": "vi", "pa": "zo"}
"""Word by word; a translation has the words of its source in reverse."""

LUONG = {"embedding_dim": 5, "hidden_dim": 8, "num_layers": 1}
MODELS = {
    "plain": ("rnn-plain-small", {"embedding_dim": 5, "hidden_dim": 8}),
    "bahdanau": (
        "bahdanau-small",
        {"embedding_dim": 5, "hidden_dim": 8, "attention_dim": 7, "readout_dim": 9},
    ),
    "local-p": (
        "luong-local-p-small",
        {**LUONG, "attention": {"kind": "local-p", "half_width": 2}},
    ),
    "hard": ("hard-small", LUONG),
    "gnmt": ("gnmt-small", {"embedding_dim": 5, "hidden_dim": 8, "attention_dim": 7}),
    "transformer": (
        "transformer-tiny",
        {
            "model_dim": 8,
            "hidden_dim": 12,
            "num_heads": 2,
            "encoder_layers": 1,
            "decoder_layers": 1,
            "max_length": 16,
        },
    ),
    "convs2s": (
        "convs2s-small",
        {
            "embedding_dim": 6,
            "hidden_dim": 8,
            "encoder_layers": 1,
            "decoder_layers": 1,
            "max_length": 32,
        },
    ),
}
LOG = "log.jsonl"
TASK_FIELDS = {"vocabulary", "loss", "link_above"}


def sentences(count, seed=0):
    """Pairs of the language with their links; no two sources are equal."""
    source = Random(seed)
    found = {}
    while len(found) < count:
        words = source.choices(sorted(WORDS), k=source.randint(1, 6))
        links = [f"{i}-{len(words) - 1 - i}" for i in range(len(words))]
        found[" ".join(words)] = (" ".join(WORDS[word] for word in reversed(words)), links)
    return [(words, translation, " ".join(links)) for words, (translation, links) in found.items()]


def corpus(folder, count=40, seed=0):
    """The files of a corpus: pairs and links to train on, and others to validate on."""
    every = sentences(count + 3, seed)
    for name, some in (("train", every[:count]), ("valid", every[count:])):
        lines = [f"{source}\t{target}\n" for source, target, _ in some]
        (folder / f"{name}.tsv").write_text("".join(lines))
        (folder / f"{name}.links").write_text("".join(f"{links}\n" for *_, links in some))
    return files(folder)


def files(folder):
    return FileData(
        train=(str(folder / "train.tsv"),),
        valid=(str(folder / "valid.tsv"),),
        alignments=str(folder / "train.links"),
        valid_alignments=str(folder / "valid.links"),
    )


def settings(data, **changes):
    """A run of ten steps, about three of which make an epoch; changes of any field."""
    chosen = {
        "batch": BatchConfig(max_tokens=96),
        "optimisation": OptimisationConfig(rate=0.01),
        "budget": Budget(steps=10),
        "validate_every": 4,
        "save_every": 3,
        "log_every": 1,
        "measure": "loss",
    }
    learned = {"vocabulary": VocabularyConfig(level="words", sharing="separate")}
    learned |= {name: changes.pop(name) for name in TASK_FIELDS & changes.keys()}
    return Settings(task=TranslationTask(data=data, **learned), **{**chosen, **changes})


def start(folder, data, model="bahdanau", observer=None, **changes):
    """A new run."""
    preset, sizes = MODELS[model]
    return launch(settings(data, **changes), preset, folder, changes=sizes, observer=observer)


def go_on(folder, steps=None, observer=None):
    """The run again, with another number of steps."""
    budget = None if steps is None else Budget(steps=steps)
    return relaunch(folder, budget=budget, observer=observer)


def last(folder):
    """The last checkpoint of a run."""
    with run_folder.opened(folder) as place:
        return place.resume(RunConfig)


def everything(folder):
    """Where a run stands, but for the time it took and when it is to end."""
    found = last(folder)
    state = {**found.resume, "progress": {**found.resume["progress"], "seconds": None}}
    lines = [{**line, "seconds": None} for line in log.read(Path(folder) / LOG)]
    return {"step": found.step, "model": found.model, "state": state, "log": lines}


def same(left, right):
    """Equal, bit for bit, whatever is inside."""
    if isinstance(left, torch.Tensor):
        return torch.equal(left, right) and left.dtype == right.dtype
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(same, left, right))
    return left == right


class Interrupter(Observer):
    """Sends this process a signal in the middle of a step."""

    def __init__(self, step, number=signal.SIGINT, times=1):
        self.step = step
        self.number = number
        self.times = times

    def updated(self, run, update):
        if run.progress.step == self.step:
            for _ in range(self.times):
                os.kill(os.getpid(), self.number)
