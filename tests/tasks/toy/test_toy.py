"""A task that regard does not know, in one folder: trained, packed, used, gone on with.

``tests/testing/test_task.py`` puts it to the whole battery: killed, resumed to the same bits.
"""

import sys
from importlib import import_module
from pathlib import Path

import pytest
import torch

from regard.models import kinds, presets
from regard.task_registry import TASKS
from regard.training import launch, load_origin
from regard.zoo.packing import pack
from training.small import everything

STEPS = 200


@pytest.fixture(scope="module")
def settings():
    """Of the task, which is known while these tests run, and to no others."""
    small = import_module("tasks.toy.small")
    yield small.settings
    for registry, name in ((TASKS, "sorting"), (kinds, "sorter"), (presets, "sorter-tiny")):
        registry.forget(name)
    for name in [name for name in sys.modules if name.startswith("tasks.toy.")]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def run(settings, tmp_path_factory):
    """A run without any interruption."""
    folder = tmp_path_factory.mktemp("toy") / "run"
    launch(settings(STEPS), "sorter-tiny", folder)
    return folder


def predicted(folder, *texts):
    return [one.text for one in load_origin(folder).predictor().predict(texts)]


def test_it_learns_to_sort(run):
    scores = everything(run)["log"][-1]
    assert scores["kind"] == "valid"
    assert scores["sorted"] > 0.9
    assert predicted(run, "3 1 2", "9 0 5") == ["1 2 3", "0 5 9"]


def test_packed_it_is_used_without_its_data(run, tmp_path):
    made = pack(run, tmp_path / "sorter", precision="float32", sentences=0)
    assert predicted(made.folder, "3 1 2") == ["1 2 3"]
    card = (made.folder / "CARD.md").read_text()
    assert "| sorted |\n| --- |" in card
    assert "sorter, " in card


def test_another_run_goes_on_from_it(run, settings, tmp_path):
    launch(settings(3, average=0.9), load_origin(run), tmp_path / "on")
    assert everything(tmp_path / "on")["step"] == 3
    weights, before = load_origin(tmp_path / "on").weights, load_origin(run).weights
    assert weights.keys() == before.keys()
    assert not torch.equal(weights["answer.weight"], before["answer.weight"])


def test_the_task_takes_no_more_than_120_lines():
    texts = [Path(__file__).with_name(name).read_text() for name in ("task.py", "predictor.py")]
    assert sum(bool(line.strip()) for text in texts for line in text.splitlines()) <= 120
