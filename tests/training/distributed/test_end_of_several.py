"""Several processes end together, and one of them says why."""

import os
import signal
import time
from pathlib import Path

import pytest

from training import small
from training.distributed import together


def lines(output, start="regard:"):
    return [line for line in output.splitlines() if start in line]


def test_a_mistake_is_told_once_and_ends_all(tmp_path):
    small.corpus(tmp_path)
    small.start(tmp_path / "run", small.files(tmp_path), budget=small.Budget(steps=1))
    code, output = together.finished("train", tmp_path)
    assert code != 0
    [line] = lines(output)
    assert "a new run needs a folder without one" in line
    assert "[rank" not in output  # a process that ends with a traceback is named so


@pytest.mark.slow
def test_a_mistake_of_another_process_is_told_by_that_one(tmp_path):
    small.corpus(tmp_path)
    code, output = together.finished("train", tmp_path, CORPUS_1=str(tmp_path / "nowhere"))
    assert code != 0
    [line] = lines(output)
    assert "nowhere" in line


@pytest.mark.slow
def test_processes_that_torchrun_ends_save_and_go_on_later(tmp_path):
    small.corpus(tmp_path)
    stop(tmp_path, signal.SIGTERM)
    found = small.last(tmp_path / "run")
    assert 0 < found.step < 12
    assert together.finished("train", tmp_path, 0.001)[0] == 0
    assert weights(tmp_path) == whole_run(tmp_path)


@pytest.mark.slow
def test_processes_that_are_killed_go_on_later_bit_for_bit(tmp_path):
    small.corpus(tmp_path)
    stop(tmp_path, signal.SIGKILL)
    assert together.finished("train", tmp_path, 0.001)[0] == 0
    assert weights(tmp_path) == whole_run(tmp_path)


def stop(folder, number):
    """Send a signal to two processes in the middle of their run."""
    running = together.started("train", folder, 0.5)
    end = time.monotonic() + together.PATIENCE
    while not small.run_folder.places(folder / "run", "step"):
        assert time.monotonic() < end
        time.sleep(0.05)
    if number == signal.SIGTERM:
        running.send_signal(number)
    else:
        kill_all(running.pid)
    running.communicate(timeout=together.PATIENCE)


def kill_all(parent):
    """The children first: each of them has a session of its own."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    for process in (*map(int, children), parent):
        os.kill(process, signal.SIGKILL)


def whole_run(folder):
    other = folder / "other"
    other.mkdir()
    small.corpus(other)
    assert together.finished("train", other)[0] == 0
    return weights(other)


def weights(folder):
    found = small.last(folder / "run")
    assert found.step == 12
    return {name: value.tolist() for name, value in found.model.items()}
