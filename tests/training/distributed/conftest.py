"""Runs that two processes made together, for all tests and workers once."""

import fcntl
import shutil

import pytest

from training import small
from training.distributed import together


@pytest.fixture(scope="session")
def runs(tmp_path_factory, worker_id):
    """The folder with all runs in it, and a corpus."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "runs-of-two"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "output").exists():
            prepare(folder)
            code, output = together.finished("runs", folder)
            assert code == 0, output
            (folder / "output").write_text(output)
    return folder


def prepare(folder):
    """A corpus, and runs that one process began."""
    small.corpus(folder)
    half = small.Budget(steps=together.HALF)
    together.start(folder / "taken-over", processes=1, budget=half)
    together.start(folder / "taken-over-sharded", processes=1, budget=half, spread="sharded")


@pytest.fixture
def alone(runs, tmp_path):
    """Makes the run of one process whose batches are as large as those of two together."""

    def make(*words, **settings):
        for file in runs.glob("*.*"):
            shutil.copy(file, tmp_path)
        together.start(tmp_path / "alone", *words, processes=1, **settings)
        return tmp_path / "alone"

    return make
