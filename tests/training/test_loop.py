"""When a run ends, and that a run which is over is not trained on."""

from itertools import count
from types import SimpleNamespace

import pytest

from regard.training import log, loop
from regard.training.config import Budget
from training import small


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return small.corpus(tmp_path_factory.mktemp("corpus"), count=20)


RARELY = {"save_every": 99, "validate_every": 99, "log_every": 99}


def test_steps_end_a_run(data, tmp_path):
    assert small.start(tmp_path, data, **RARELY | {"budget": Budget(steps=2)}) == "steps"
    assert small.last(tmp_path).step == 2


def test_minutes_end_a_run_and_those_before_it_was_resumed_count(data, tmp_path, monkeypatch):
    times = count(step=20)
    monkeypatch.setattr(loop, "time", SimpleNamespace(monotonic=lambda: float(next(times))))
    assert small.start(tmp_path, data, **RARELY, budget=Budget(minutes=1)) == "minutes"
    assert small.last(tmp_path).step == 3
    assert small.last(tmp_path).resume["progress"]["seconds"] == 60
    assert small.relaunch(tmp_path, budget=Budget(minutes=1.5)) == "minutes"
    assert small.last(tmp_path).step == 5
    assert small.relaunch(tmp_path, budget=Budget(minutes=1.5)) == "minutes"
    assert small.last(tmp_path).step == 5


def test_patience_ends_a_run_that_gets_no_better(data, tmp_path):
    never_exact = {"measure": "exact", "validate_every": 2, "save_every": 99}
    budget = Budget(patience=2, steps=50)
    assert small.start(tmp_path, data, **never_exact, budget=budget) == "patience"
    found = small.last(tmp_path)
    assert found.step == 6
    progress = found.resume["progress"]
    assert (progress["best_step"], progress["stale"]) == (6, 2)  # none exact, the last the surest


@pytest.mark.parametrize(("goal", "ending", "step"), [(50.0, "goal", 2), (1e-3, "steps", 4)])
def test_a_loss_that_is_low_enough_ends_a_run(data, tmp_path, goal, ending, step):
    budget = Budget(goal=goal, steps=4)
    assert small.start(tmp_path, data, validate_every=2, save_every=99, budget=budget) == ending
    assert small.last(tmp_path).step == step


def test_a_run_that_is_over_is_left_as_it_is(data, tmp_path):
    budget = Budget(steps=3)
    small.start(tmp_path, data, budget=budget, save_every=1, validate_every=2)
    before = small.everything(tmp_path)
    for _ in range(2):
        assert small.go_on(tmp_path) == "steps"
    assert small.same(small.everything(tmp_path), before)


def test_a_run_that_is_over_earlier_than_planned_is_measured_before_it_ends(data, tmp_path):
    small.start(tmp_path, data, **RARELY, observer=small.Interrupter(2))
    assert log.read(tmp_path / small.LOG) == []
    assert small.go_on(tmp_path, 2) == "steps"
    [line] = log.read(tmp_path / small.LOG)
    assert (line["step"], line["kind"], line["best"]) == (2, "valid", True)


def test_a_signal_before_the_first_step_is_obeyed_and_the_run_begins_when_resumed(data, tmp_path):
    class Early(small.Interrupter):
        def started(self, run):
            self.updated(run, None)

    whole, cut = tmp_path / "whole", tmp_path / "cut"
    changes = {"budget": Budget(steps=2)}
    small.start(whole, data, **changes)
    assert small.start(cut, data, **changes, observer=Early(0)) == "interrupted"
    assert small.last(cut).step == 0
    assert small.go_on(cut) == "steps"
    assert small.same(small.everything(whole), small.everything(cut))


def test_the_log_has_every_step_and_every_validation_once(data, tmp_path):
    small.start(tmp_path, data, budget=Budget(steps=5), validate_every=2, log_every=2)
    lines = [(line["step"], line["kind"]) for line in log.read(tmp_path / small.LOG)]
    assert lines == [(2, "train"), (2, "valid"), (4, "train"), (4, "valid"), (5, "valid")]


def test_a_model_learns(data, tmp_path):
    small.start(tmp_path, data, budget=Budget(steps=25), validate_every=25, save_every=99)
    lines = [line for line in log.read(tmp_path / small.LOG) if line["kind"] == "train"]
    assert lines[-1]["nll"] < 0.85 * lines[0]["nll"]
