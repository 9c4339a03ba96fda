"""Whole runs in processes of their own, told to end or killed."""

import os
import random
import signal
import time

import pytest

from regard.storage import run_folder
from training import small
from training.test_sudden_death import reached, wait_for_a_checkpoint_after


@pytest.fixture
def home(tmp_path):
    small.corpus(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 5), (signal.SIGTERM, 6), (signal.SIGHUP, 7)]
)
def test_a_run_that_is_told_to_end_saves_and_ends(children, home, number, code):
    folder = home / "run"
    child = children.start("fit", folder, 100_000, 1)
    wait_for_a_checkpoint_after(1, folder)
    os.kill(child, number)
    assert children.end() == code
    step = small.last(folder).step
    assert step == reached(folder)
    assert children.run("fit", home / "whole", step, 0) == 0
    assert small.same(small.last(folder).model, small.last(home / "whole").model)


def test_the_second_signal_ends_the_process_at_once(children, home):
    child = children.start("fit", home / "run", 100_000, 60_000)
    end = time.monotonic() + 300
    while not (home / "asleep").exists():
        assert time.monotonic() < end, "the child does not train"
        time.sleep(0.01)
    os.kill(child, signal.SIGTERM)  # two of a kind may come as one
    os.kill(child, signal.SIGINT)
    assert children.end() == 1
    assert run_folder.places(home / "run", "step") == []


def killed_at_random(children, home, *, times, steps, seed):
    """A run that is killed so often, and then ends."""
    source = random.Random(seed)
    folder = home / "killed"
    for _ in range(times):
        child = children.start("fit", folder, steps, 10)
        wait_for_a_checkpoint_after(reached(folder), folder)
        time.sleep(source.uniform(0, 0.05))
        os.kill(child, signal.SIGKILL)
        assert children.end() == -signal.SIGKILL
    with run_folder.opened(folder) as place:
        assert times <= place.resume(small.RunConfig).step < steps
    assert children.run("fit", folder, steps, 0) == 0
    return folder


def ends_like_one_that_nobody_killed(children, home, **options):
    folder = killed_at_random(children, home, **options)
    assert children.run("fit", home / "whole", options["steps"], 0) == 0
    assert small.same(small.everything(folder), small.everything(home / "whole"))
    assert not [path.name for path in folder.iterdir() if path.name.startswith(".draft")]


def test_three_times_killed_a_run_ends_like_one_that_nobody_killed(children, home):
    ends_like_one_that_nobody_killed(children, home, times=3, steps=30, seed=4)


@pytest.mark.slow
def test_fifty_times_killed_a_run_ends_like_one_that_nobody_killed(children, home):
    ends_like_one_that_nobody_killed(children, home, times=50, steps=600, seed=5)
