"""Measures what training and translating keep; run as a script by ``test_memory.py``.

A process of its own, because whatever ran before in the test run leaves its marks in the memory.
Prints a JSON list of bytes held after a fifth, two fifths, … of the way: ``training FOLDER STEPS``
of a run, ``translating FOLDER SENTENCES`` with the model of a run.
"""

import json
import sys
from itertools import islice
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.memory import resident_bytes
from regard.decoding import Limits
from regard.tasks.translation.predictor import load_translator
from regard.training.config import Budget
from regard.training.run import Observer
from training import small

READINGS = 5


class Reader(Observer):
    """Reads the memory every so many steps."""

    def __init__(self, every):
        self.every = every
        self.found = []

    def updated(self, run, update):
        if run.progress.step % self.every == 0:
            self.found.append(resident_bytes("VmRSS"))


def training(folder, steps):
    reader = Reader(steps // READINGS)
    budget = {"budget": Budget(steps=steps), "validate_every": 50, "save_every": 50}
    small.start(folder / "run", small.corpus(folder), observer=reader, **budget)
    return reader.found


def translating(folder, sentences):
    small.start(folder / "run", small.corpus(folder), budget=Budget(steps=1))
    translator = load_translator(folder / "run")
    # Words no two sentences share, so that what is remembered of a word would be seen.
    sources = (f"bo da w{number} {'la ' * (number % 5)}" for number in range(sentences))
    answers = translator.answers(sources, limits=Limits(max_length=4), aligned=True)
    found = []
    for _ in range(READINGS):
        for _ in islice(answers, sentences // READINGS):
            pass
        found.append(resident_bytes("VmRSS"))
    return found


if __name__ == "__main__":
    torch.set_num_threads(1)
    what, folder, count = sys.argv[1:]
    print(json.dumps(globals()[what](Path(folder), int(count))))
