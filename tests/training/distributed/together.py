"""What two processes do together, each with half of every batch: ``torchrun … together.py WHAT``.

``runs FOLDER`` makes one run after the other, ``train FOLDER [PAUSE]`` one new run, as the command
line would: its errors are one line. In the folder are the files of a corpus.
"""

import faulthandler
import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

TESTS = Path(__file__).parent.parent.parent
PATHS = os.pathsep.join(map(str, (TESTS, TESTS.parent / "src")))
"""Where children find our tests, and the very package that is tested."""
PATIENCE = 400
"""Seconds until two processes count as waiting for each other, and show where."""
STEPS = 6
HALF = 3
TOKENS = 96
"""Budget of a batch, all processes together."""

SHARDED_TOO = ("bahdanau", "gnmt", "local-p", "convs2s")
"""Models that are spread over the processes too: other blocks, other kernels."""


def command(*words):
    """The words that start this file in two processes."""
    alone = (sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2")
    return [*alone, __file__, *map(str, words)]


def environment(**more):
    return {**os.environ, "PYTHONPATH": PATHS, "OMP_NUM_THREADS": "1", **more}


def started(*words, **more):
    """Two processes at work, and their output to read."""
    return subprocess.Popen(
        command(*words),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment(**more),
        start_new_session=True,
    )


def finished(*words, **more):
    """Exit code and output of two processes that have ended."""
    with started(*words, **more) as running:
        try:
            output, _ = running.communicate(timeout=2 * PATIENCE)
        except subprocess.TimeoutExpired:
            running.terminate()  # which ends its children, each in a session of its own
            raise
    return running.returncode, output


def start(folder, model="transformer", *, processes=2, changes=None, **settings):
    """A new run; alone or together, its batches are the same."""
    from regard.data.batches import BatchConfig
    from regard.tasks.translation.config import LossConfig
    from regard.training.launch import launch
    from training import small

    preset, sizes = small.MODELS[model]
    chosen = {
        "batch": BatchConfig(max_tokens=TOKENS // processes),
        "loss": LossConfig(guided=0.3, label_smoothing=0.1),
        "budget": small.Budget(steps=STEPS),
        "average": 0.5,
        "measure": "loss",
    }
    given = small.settings(small.files(folder.parent), **{**chosen, **settings})
    return launch(given, preset, folder, changes={**sizes, "dropout": 0.0, **(changes or {})})


def accumulated():
    from regard.training.settings import OptimisationConfig

    return OptimisationConfig(rate=0.01, accumulate=2, clip=0.5)


def make_runs(folder):
    from training import small

    half = small.Budget(steps=HALF)
    start(folder / "replicated")
    start(folder / "sharded", spread="sharded")
    start(folder / "accumulated", "bahdanau", optimisation=accumulated())
    start(folder / "accumulated-sharded", spread="sharded", optimisation=accumulated())
    for model in SHARDED_TOO:
        start(folder / f"{model}-sharded", model, spread="sharded")
    start(folder / "idle", "bahdanau", changes={"normalise": "hard"})
    start(folder / "hard", "hard")
    start(folder / "whole", changes={"dropout": 0.2})
    start(folder / "cut", changes={"dropout": 0.2}, budget=half)
    small.go_on(folder / "cut", STEPS)
    start(folder / "sharded-cut", spread="sharded", budget=half)
    small.go_on(folder / "sharded-cut", STEPS)
    start(folder / "handed-on", budget=half)
    start(folder / "handed-on-sharded", spread="sharded", budget=half)
    small.go_on(folder / "taken-over", STEPS)
    small.go_on(folder / "taken-over-sharded", STEPS)
    with signal_after(HALF, rank=1):
        print("ending", start(folder / "interrupted"), flush=True)


def signal_after(step, rank):
    """This process gets a signal behind that step, if it is the one."""
    from unittest.mock import patch

    from regard.training import loop

    made = loop.run_update

    def then_signal(run, batches):
        update = made(run, batches)
        if run.progress.step == step and run.processes.rank == rank:
            os.kill(os.getpid(), signal.SIGTERM)
        return update

    return patch.object(loop, "run_update", then_signal)


def train(folder, pause=0.0):
    """Where a process has no corpus of its own, it says so."""
    from regard.cli.app import guarded
    from training import small

    class Slow(small.Observer):
        def updated(self, run, update):
            time.sleep(pause)

    corpus = Path(os.environ.get(f"CORPUS_{os.environ['RANK']}", folder))
    again = small.run_folder.places(folder / "run", "step") and pause

    def work():
        if again:
            return small.relaunch(folder / "run", observer=Slow()) and 0
        preset, sizes = small.MODELS["transformer"]
        steps = {"save_every": 1, "budget": small.Budget(steps=12)}
        given = small.settings(small.files(corpus), **steps)
        return small.launch(given, preset, folder / "run", changes=sizes, observer=Slow()) and 0

    return guarded(work)


if __name__ == "__main__":
    import torch

    faulthandler.dump_traceback_later(PATIENCE, exit=True)
    warnings.simplefilter("error")
    torch.set_num_threads(1)
    what, where, *rest = sys.argv[1:]
    sys.exit({"runs": make_runs, "train": train}[what](Path(where), *map(float, rest)))
