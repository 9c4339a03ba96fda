"""A line of how attention fares every so often, never for more than its share of the time."""

import json
from shutil import rmtree

import pytest
import torch

from regard.cli.app import main
from regard.functional.scores import ScaledDot
from regard.training import vitals
from regard.training.config import Budget
from regard.training.run import Observer, Observers
from regard.training.vitals import Vitals, history_of
from training import small

ALWAYS = 1e9


class Twice(Observer):
    """Scales the scores of a model that is about to be trained once more."""

    def started(self, run):
        for module in run.processes.own.model.modules():
            if hasattr(module, "score"):
                module.score = ScaledDot(1 / 16)


class Drawn(Observer):
    """Notes what the next number drawn would be."""

    def __init__(self):
        self.states = []

    def updated(self, run, update):
        self.states.append(torch.get_rng_state())


def trained(folder, *observers, steps=6, model="transformer", **more):
    folder.mkdir(exist_ok=True)
    data = small.corpus(folder, count=20)
    changes = {"save_every": 99, "validate_every": 3, **more}
    told = Observers(observers)
    small.start(folder / "run", data, model, told, budget=Budget(steps=steps), **changes)
    return folder / "run"


def lines(run):
    return [json.loads(line) for line in (run / vitals.FILE).read_text().splitlines()]


def test_a_line_is_written_every_so_often_and_a_cause_is_told_once(tmp_path):
    told, watched, plain = [], Drawn(), Drawn()
    watch = Vitals(tmp_path / "ill" / "run", every=2, share=ALWAYS, tell=told.append)
    run = trained(tmp_path / "ill", Twice(), watch, watched)
    found = lines(run)
    assert [line["step"] for line in found] == [2, 4, 6]
    assert found[0]["causes"] == ["scaled twice"]
    assert 0.9 < found[0]["entropy"] <= 1
    assert 0 < found[0]["update_ratio"] < 1
    assert "valid_loss" not in found[0]
    assert found[1]["valid_loss"] == pytest.approx(history_of(run)[2]["valid_loss"])
    assert len(told) == 1
    assert told[0].startswith("doctor: broken: scaled twice in ")
    trained(tmp_path / "as-it-was", Twice(), plain)
    assert all(map(torch.equal, watched.states, plain.states))
    assert small.same(small.last(run).model, small.last(tmp_path / "as-it-was" / "run").model)


def test_a_healthy_run_is_told_nothing_and_goes_on_where_its_checkpoint_is(tmp_path):
    told = []
    watch = Vitals(tmp_path / "run", every=2, share=ALWAYS, tell=told.append)
    run = trained(tmp_path, watch, steps=4, save_every=3)
    assert [line["step"] for line in lines(run)] == [2, 4]
    rmtree(run / "step-00000004")
    again = Vitals(run, every=2, share=ALWAYS)
    small.go_on(run, 6, again)
    assert [line["step"] for line in lines(run)] == [2, 4, 6]
    assert not told
    assert [line["step"] for line in history_of(run)] == [1, 2, 3, 4, 5, 6]


def test_the_command_reads_what_was_written_and_the_texts_of_the_run(tmp_path, capsys):
    run = trained(tmp_path, Vitals(tmp_path / "run", every=2, share=ALWAYS), steps=4)
    assert main(["doctor", str(run), "--json"]) == 0
    before = {one["cause"] for one in json.loads(capsys.readouterr().out)["findings"]}
    assert not before & {"vocabulary of another model", "saturated"}
    with (run / vitals.FILE).open("a") as file:
        for step, entropy, score in ((5, 0.9, 2.0), (6, 0.3, 9.0)):
            line = {"step": step, "entropy": entropy, "largest_score": score}
            file.write(json.dumps(line) + "\n")
    assert main(["doctor", str(run), "--json", "--strict"]) == 1
    (collapse,) = (
        one
        for one in json.loads(capsys.readouterr().out)["findings"]
        if one["cause"] == "saturated"
    )
    assert collapse["severity"] == "broken"
    assert collapse["evidence"]["step"] == 6


def test_an_examination_waits_until_there_is_time_for_it(tmp_path):
    watch = Vitals(tmp_path / "run", every=1)
    run = trained(tmp_path, watch, steps=3)
    assert not (run / vitals.FILE).exists()
    assert watch.spent < 0.1


@pytest.mark.parametrize("model", ["plain", "hard"])
def test_models_of_other_kinds_are_examined_or_left_alone(tmp_path, model):
    told = []
    run = trained(
        tmp_path, Vitals(tmp_path / "run", every=1, share=ALWAYS, tell=told.append), model=model
    )
    if model == "plain":
        assert len(told) == 1
        assert "not examined any more" in told[0]
    assert (run / vitals.FILE).exists() == (model != "plain")
