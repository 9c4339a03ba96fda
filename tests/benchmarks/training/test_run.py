"""``regard bench training`` from the shell, with nobody installed and nobody started."""

import json

import pytest

from benchmarks import processes
from benchmarks.processes import DriverError
from benchmarks.settings import Settings
from benchmarks.training import corpus, run
from regard.cli.app import main


@pytest.fixture
def nobody(monkeypatch):
    """A small grammar, and no process ever starts."""

    def start(*_):
        raise DriverError("not installed")

    monkeypatch.setattr(corpus, "GRAMMAR_PAIRS", 20)
    monkeypatch.setattr(processes, "start", start)


@pytest.mark.usefixtures("nobody")
def test_it_writes_json_and_prints_tables_on_stderr(tmp_path, capsys):
    assert main(["bench", "training", "--quick", "--strict", "--out", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "goals met: 0 of 0 (4 not measured)" in err
    data = json.loads((tmp_path / "training.json").read_text(encoding="utf-8"))
    assert [race["name"] for race in data["races"]] == ["gru", "transformer"]
    assert data["corpus"]["origin"] == "grammar, up to 60 words"
    assert data["machine"]["threads"] == 2


@pytest.mark.usefixtures("nobody")
def test_data_may_be_two_files_and_only_chooses_the_architecture(tmp_path):
    for name in ("train.en", "train.fr"):
        (tmp_path / name).write_text("one\ntwo\n", encoding="utf-8")
    files = [str(tmp_path / name) for name in ("train.en", "train.fr")]
    words = ["bench", "training", "--only", "transformer", "--out", str(tmp_path), "--data", *files]
    assert main(words) == 0
    data = json.loads((tmp_path / "training.json").read_text(encoding="utf-8"))
    assert [race["name"] for race in data["races"]] == ["transformer"]
    assert data["corpus"]["pairs"] == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["training", "--only", "grus"], "unknown architecture 'grus'. Did you mean 'gru'?"),
        (["training", "--data", "no-such-file.tsv"], "no-such-file.tsv"),
    ],
    ids=["architecture", "file"],
)
def test_mistakes_are_one_sentence(tmp_path, capsys, words, message):
    assert main(["bench", *words, "--out", str(tmp_path)]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_repeats_are_rounds_and_quick_is_shorter():
    assert run.effort_of(Settings("training", repeats=3)).rounds == 3
    quick, full = (run.effort_of(Settings("training", quick=quick)) for quick in (True, False))
    assert quick.rounds >= 5
    assert quick.rounds * quick.seconds < full.rounds * full.seconds
