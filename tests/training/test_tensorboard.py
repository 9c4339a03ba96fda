"""Events for TensorBoard: every number of the log, once per step."""

import sys

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from regard.errors import MissingExtraError
from regard.training import log
from regard.training.config import Budget
from regard.training.tensorboard import TensorBoard
from training import small


def events(folder, name):
    read = EventAccumulator(str(folder / "events"))
    read.Reload()
    return {event.step: event.value for event in read.Scalars(name)}


def test_a_run_and_its_resumption_have_every_step_once(tmp_path):
    folder, budget = tmp_path / "run", Budget(steps=5)
    small.start(folder, small.corpus(tmp_path), observer=TensorBoard(folder), budget=budget)
    small.go_on(folder, 9, TensorBoard(folder))
    lines = log.read(folder / small.LOG)
    logged = {line["step"]: line["loss"] for line in lines if line["kind"] == "train"}
    assert events(folder, "train/loss") == pytest.approx(logged)
    assert sorted(events(folder, "valid/bleu")) == [4, 5, 8, 9]


def test_without_tensorboard_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(MissingExtraError, match=r"regard\[tensorboard\]"):
        TensorBoard(tmp_path)
