"""``regard bench decoding`` from the shell, with nobody installed and nobody started."""

import json

import pytest

from benchmarks import processes
from benchmarks.processes import DriverError
from regard.cli.app import main


@pytest.fixture
def nobody(made, monkeypatch):
    made()

    def start(*_):
        raise DriverError("not installed")

    monkeypatch.setattr(processes, "start", start)


@pytest.mark.usefixtures("nobody")
def test_it_writes_json_and_prints_tables_on_stderr(tmp_path, capsys):
    assert main(["bench", "decoding", "--quick", "--strict", "--out", str(tmp_path / "out")]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "goals met: 0 of 0 (4 not measured)" in err
    data = json.loads((tmp_path / "out" / "decoding.json").read_text(encoding="utf-8"))
    names = [one["name"] for one in data["races"]]
    assert names == ["1-greedy", "1-beam", "64-greedy", "64-beam"]
    assert data["model"]["sources"] == 9


@pytest.mark.usefixtures("nobody")
def test_only_chooses_the_way(tmp_path):
    out = tmp_path / "out"
    assert main(["bench", "decoding", "--only", "64-beam", "--out", str(out)]) == 0
    data = json.loads((out / "decoding.json").read_text(encoding="utf-8"))
    assert [one["beam"] for one in data["races"]] == [5]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["decoding", "--only", "64-bean"], "unknown way to translate '64-bean'. Did you mean"),
        (["decoding", "--model", "no-such-run"], "no-such-run has no checkpoint"),
    ],
    ids=["way", "run"],
)
def test_mistakes_are_one_sentence(tmp_path, capsys, words, message):
    assert main(["bench", *words, "--out", str(tmp_path)]) == 2
    assert message in " ".join(capsys.readouterr().err.split())
