"""A line of how attention fares every so often, never for more than its share of the time."""

import json
from types import SimpleNamespace

import torch

from lens.doctor.planted import scene, tiny
from regard.training import vitals
from regard.training.vitals import Vitals, history_of


def a_run(model):
    own = SimpleNamespace(model=model)
    return SimpleNamespace(progress=SimpleNamespace(step=0), processes=SimpleNamespace(own=own))


def an_update():
    return SimpleNamespace(loss=2.0, gradient_norm=1.0)


def test_a_line_is_written_every_so_often_and_told_once_when_something_is_wrong(
    tmp_path, monkeypatch, without_shape_checks
):
    monkeypatch.setattr(vitals, "SHARE", 1e9)
    model, told = tiny(0, causal=True, masked="open"), []
    model.train()
    run, watch = (
        a_run(model),
        Vitals(tmp_path, lambda made: scene(made, 0), every=2, tell=told.append),
    )
    watch.started(run)
    before = torch.get_rng_state()
    for step in range(1, 7):
        run.progress.step = step
        watch.updated(run, an_update())
    assert torch.equal(before, torch.get_rng_state())
    assert all(module.training for module in model.modules())
    lines = [json.loads(line) for line in (tmp_path / "vitals.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines] == [2, 4, 6]
    assert lines[0]["causes"] == ["causal leak"]
    assert 0 < lines[0]["entropy"] < 1
    assert len(told) == 1
    assert told[0].startswith("doctor: broken: causal leak")
    assert [line["step"] for line in history_of(tmp_path)] == [2, 4, 6]


def test_an_examination_waits_until_there_is_time_for_it(tmp_path, without_shape_checks):
    model = tiny(0)
    run, watch = a_run(model), Vitals(tmp_path, lambda made: scene(made, 0), every=1)
    watch.started(run)
    for step in range(1, 4):
        run.progress.step = step
        watch.updated(run, an_update())
    lines = (tmp_path / "vitals.jsonl").read_text().splitlines()
    assert len(lines) == 1
