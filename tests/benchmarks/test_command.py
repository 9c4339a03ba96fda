"""``regard bench kernels`` from the shell, on suites small enough for a test."""

import json

import pytest

from benchmarks import run as runner
from benchmarks.case import Case
from benchmarks.goals import at_least, under
from benchmarks.plans import Curve, Probe, Suite
from benchmarks.race import Duel, Race
from benchmarks.reasons import Absence
from regard.cli.app import main
from regard.registry import Registry

SMALL, LARGE = Case("softmax", (1, 2, 8, 4)), Case("softmax", (1, 2, 16, 4))
IMPOSSIBLE = at_least(1e9)


def tiny(quick: bool) -> Suite:
    """Two races, a curve of time and a probe: a real run of all parts."""
    duel = Duel("sdpa", ("eager",), goal=IMPOSSIBLE)
    return Suite(
        name="tiny",
        title="Tiny",
        note="For a test.",
        races=tuple(Race(case, ("sdpa", "eager"), (duel,)) for case in (SMALL, LARGE)),
        curves=(Curve("time", "eager", (SMALL, LARGE)),),
        probes=(Probe("one call", "eager", SMALL, peak=under(1e9, "MB")),),
    )


@pytest.fixture
def only_tiny(monkeypatch):
    topics: Registry = Registry("topic")
    topics.add("kernels", (tiny,))
    monkeypatch.setattr(runner, "TOPICS", topics)


@pytest.fixture
def no_children(monkeypatch):
    monkeypatch.setattr(runner, "in_child", lambda *_, **__: Absence("not installed"))


def run(folder, *words: str) -> int:
    return main(["bench", "kernels", "--threads", "1", "--repeats", "2", "--out", folder, *words])


@pytest.mark.usefixtures("only_tiny")
def test_a_tiny_run_writes_json_and_png_and_prints_tables_on_stderr(tmp_path, capsys):
    assert run(str(tmp_path / "new")) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "goals met: 1 of 3" in err
    data = json.loads((tmp_path / "new" / "kernels.json").read_text(encoding="utf-8"))
    (suite,) = data["suites"]
    assert [race["case"]["shape"] for race in suite["races"]] == [[1, 2, 8, 4], [1, 2, 16, 4]]
    assert {len(time["seconds"]) for race in suite["races"] for time in race["times"].values()} == {
        2
    }
    assert suite["curves"][0]["sizes"] == [8, 16]
    assert data["machine"]["threads"] == 1
    assert (tmp_path / "new" / "kernels.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.usefixtures("only_tiny", "no_children")
def test_json_goes_to_stdout_and_strict_makes_a_missed_goal_an_exit_code(tmp_path, capsys):
    assert run(str(tmp_path), "--json", "--strict") == 1
    data = json.loads(capsys.readouterr().out)
    assert data["schema"] == "regard-bench/1"
    assert data["goals"]["missed"] == 2


def test_an_unknown_suite_is_one_sentence_before_anything_is_measured(tmp_path, capsys):
    assert run(str(tmp_path), "--only", "additive,windows") == 2
    message = " ".join(capsys.readouterr().err.split())
    assert "unknown suite 'windows'. Did you mean 'window'?" in message


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert run(str(tmp_path / "file")) == 2
    assert "bench needs a folder it can write to" in " ".join(capsys.readouterr().err.split())


def test_help_names_the_options_and_ends_with_examples(capsys):
    assert main(["bench", "--help"]) == 0
    text = capsys.readouterr().out
    for option in ("--quick", "--only", "--repeats", "--threads", "--out", "--json", "--strict"):
        assert option in text
    assert "regard bench kernels --quick" in text
