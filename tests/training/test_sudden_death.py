"""Processes killed while they checkpoint: their run always goes on, as if nothing had been."""

import os
import random
import signal
import time

import pytest

from regard.storage import run_folder
from regard.storage.run_folder import load_model
from training.tiny_run import TinyConfig, TinyRun, digest


class Uninterrupted:
    """The weights after every step of a run that nobody kills, computed as far as needed."""

    def __init__(self):
        self.digests = []

    def __getitem__(self, step):
        if step >= len(self.digests):
            run = TinyRun()
            self.digests = [run.digest()]
            while len(self.digests) <= 2 * step:
                run.update()
                self.digests.append(run.digest())
        return self.digests[step]


def reached(folder):
    """The last checkpoint, as one who does not write finds it: by name alone."""
    places = run_folder.places(folder, "step")
    return places[-1].step if places else 0


def wait_for_a_checkpoint_after(step, folder):
    """The child is at work for sure, and will be in the middle of something."""
    end = time.monotonic() + 300
    while reached(folder) <= step:
        assert time.monotonic() < end, "the child does not checkpoint"
        time.sleep(0.002)


def kill_at_random(children, folder, times, seed):
    source = random.Random(seed)
    expected = Uninterrupted()
    step = 0
    for _ in range(times):
        child = children.start("train", folder)
        wait_for_a_checkpoint_after(step, folder)
        time.sleep(source.uniform(0, 0.05))
        os.kill(child, signal.SIGKILL)
        assert children.end() == -signal.SIGKILL
        assert reached(folder) > step
        with run_folder.opened(folder) as place:
            found = place.resume(TinyConfig)
        step = found.step
        assert found.folder.name == f"step-{reached(folder):08}"  # the last one, without a warning
        assert digest(found.model) == expected[step]
        config, _ = load_model(folder, TinyConfig)
        assert config == TinyConfig()
    left = [path.name for path in folder.iterdir() if path.name.startswith(".draft")]
    assert left == []


def test_five_of_five_killed_runs_go_on_bit_for_bit(children, tmp_path):
    kill_at_random(children, tmp_path / "run", times=5, seed=2)


@pytest.mark.slow
def test_fifty_of_fifty_killed_runs_go_on_bit_for_bit(children, tmp_path):
    kill_at_random(children, tmp_path / "run", times=50, seed=3)


def test_death_at_every_single_change_of_the_disk_keeps_what_was_there(children, tmp_path):
    """Step after step: die at the first change, the second, … until one save gets through alive."""
    folder = tmp_path / "run"
    expected = Uninterrupted()
    for moment in (0, 100, 200, 300):  # three whole saves: from now on, there is one to delete
        children.run("die", folder, moment)
    deaths = 0
    for moment in range(200):
        before = reached(folder)
        ended = children.run("die", folder, moment)
        with run_folder.opened(folder) as place:
            found = place.resume(TinyConfig)
        assert found.step in (before, before + 1)
        assert digest(found.model) == expected[found.step]
        if ended == 0:
            break
        assert ended == 9
        deaths += 1
    assert ended == 0
    assert found.step == before + 1
    assert deaths > 25
