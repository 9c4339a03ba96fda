"""Run folders and packed models of regard before there were tasks: ``earlier/`` was written by it.

``expected.json`` holds what that regard translated, and the losses with which it went on.
"""

import json
import shutil
from hashlib import sha256
from pathlib import Path

import pytest

from regard.kernels.available import without_numba
from regard.tasks.translation import load_translator
from regard.training import Budget, log, relaunch
from regard.zoo.packing import pack

EARLIER = Path(__file__).parent / "earlier"
EXPECTED = json.loads((EARLIER / "expected.json").read_text())
RUNS = ["bahdanau", "local-p", "transformer"]


@pytest.fixture
def home(tmp_path):
    """The folder as it was, in another place: settings name their files by absolute paths."""
    shutil.copytree(EARLIER, tmp_path / "earlier")
    for manifest in (tmp_path / "earlier").rglob("manifest.json"):
        _moved(manifest.parent, tmp_path / "earlier")
    return tmp_path / "earlier"


def _moved(checkpoint, home):
    config, manifest = checkpoint / "config.json", checkpoint / "manifest.json"
    config.write_text(config.read_text().replace("/earlier/", f"{home}/"))
    data = config.read_bytes()
    content = json.loads(manifest.read_text())
    del content["seal"]
    content["files"]["config.json"] = {"sha256": sha256(data).hexdigest(), "size": len(data)}
    seal = sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    manifest.write_text(json.dumps({**content, "seal": seal}, indent=1, sort_keys=True) + "\n")


def translated(folder, sources):
    return [one.text for one in load_translator(folder).translate(sources)]


@pytest.mark.parametrize("name", [*RUNS, "packed"])
def test_they_translate_to_the_letter(name):
    assert translated(EARLIER / name, EXPECTED[name]["sources"]) == EXPECTED[name]["run"]


@pytest.mark.parametrize("name", RUNS)
def test_they_are_gone_on_with_as_if_nothing_had_happened(name, home):
    with without_numba():  # as then: kernels draw what they drop in another order
        relaunch(home / name, budget=Budget(steps=60))
    lines = [line for line in log.read(home / name / "log.jsonl") if line["step"] > 50]
    for line, wanted in zip(lines, EXPECTED[name]["log"], strict=True):
        assert line["kind"] == wanted.pop("kind")
        assert {key: line[key] for key in wanted} == pytest.approx(wanted, rel=1e-4)
    assert translated(home / name, EXPECTED[name]["sources"]) == EXPECTED[name]["after"]


def test_they_are_packed_as_today(home, tmp_path):
    made = pack(home / "bahdanau", tmp_path / "packed", sentences=3)
    wanted = EXPECTED["packed"]
    assert translated(made.folder, wanted["sources"]) == wanted["run"]
