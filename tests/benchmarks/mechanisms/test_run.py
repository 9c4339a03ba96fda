"""``regard bench mechanisms`` from the shell, with processes that do not train."""

import json

import pytest

from benchmarks.mechanisms import plan, run
from benchmarks.mechanisms.work import INTERRUPTED
from regard.cli.app import main
from regard.tasks.translation import GrammarData


@pytest.fixture
def worked(monkeypatch, result):
    """Processes that write a result, unless they are told to end otherwise."""
    began, codes = [], {}
    grammar = plan.grammar_task

    def small(*, quick):
        data = GrammarData(max_words=10, vocabulary_pairs=5, valid_size=2)
        return grammar(quick=True)._replace(data=data)

    def work(folder, threads):
        began.append((folder.name, threads))
        assert json.loads((folder / "cell.json").read_text())["mechanism"] == folder.name
        code = codes.get(folder.name, 0)
        (folder / "work.log").write_text("first\nit broke\n")
        if code == 0:
            done = result(10.0 + len(began))
            (folder / "result.json").write_text(done.model_dump_json())
        return code

    monkeypatch.setattr(plan, "grammar_task", small)
    monkeypatch.setattr(run, "worked", work)
    work.began, work.codes = began, codes
    return work


def bench(folder, *words):
    return main(["bench", "mechanisms", "--quick", "--threads", "1", "--out", str(folder), *words])


def test_one_command_writes_everything_and_a_second_one_trains_nothing(worked, tmp_path, capsys):
    assert bench(tmp_path) == 0
    assert [name for name, _ in worked.began] == list(
        ("none", "bahdanau", "luong-general", "local-p", "gnmt-4", "transformer")
    )
    assert {threads for _, threads in worked.began} == {1}
    for name in ("mechanisms.json", "mechanisms.md", "mechanisms.png", "mechanisms.svg"):
        assert (tmp_path / name).stat().st_size > 100
    before = (tmp_path / "mechanisms.json").read_text()
    assert bench(tmp_path) == 0
    assert len(worked.began) == 6
    after = json.loads((tmp_path / "mechanisms.json").read_text())
    assert after["mechanisms"] == json.loads(before)["mechanisms"]
    assert "done before" in capsys.readouterr().err


def test_what_was_interrupted_is_gone_on_with_and_what_was_done_is_kept(worked, tmp_path):
    worked.codes["bahdanau"] = INTERRUPTED
    assert bench(tmp_path) == 130
    assert not (tmp_path / "mechanisms.json").exists()
    worked.codes.clear()
    assert bench(tmp_path, "--only", "none,bahdanau") == 0
    assert [name for name, _ in worked.began] == ["none", "bahdanau", "bahdanau"]


def test_a_mechanism_that_breaks_is_named_and_the_others_go_on(worked, tmp_path):
    worked.codes["local-p"] = 1
    assert bench(tmp_path, "--only", "local-p,transformer") == 0
    data = json.loads((tmp_path / "mechanisms.json").read_text())
    assert list(data["mechanisms"]) == ["transformer"]
    assert data["absent"] == {"local-p": "the process ended with 1: it broke"}


@pytest.mark.usefixtures("worked")
def test_another_comparison_in_the_same_folder_is_refused(tmp_path, capsys):
    assert bench(tmp_path, "--only", "none", "--minutes", "0.5") == 0
    assert bench(tmp_path, "--only", "none", "--minutes", "0.6") == 2
    assert "holds a comparison with minutes=0.5" in " ".join(capsys.readouterr().err.split())
