"""``regard pack``: from a run to a folder to be passed on."""

import pytest

from regard.cli.app import main
from regard.tasks.translation.predictor import load_translator
from regard.training.config import Budget
from training.small import corpus, start


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pack")
    start(folder / "run", corpus(folder), budget=Budget(steps=2))
    return folder / "run"


def test_a_run_becomes_a_folder_with_a_card(run, tmp_path, capsys):
    text = tmp_path / "text.md"
    text.write_text("Translates a language nobody speaks: bo, dà.", encoding="utf-8")
    said = ["--licence", "CC0", "--origin", "made up", "--command", "regard train", "--text", text]
    assert main(["pack", str(run), "--out", str(tmp_path / "a/bo-ti"), *map(str, said)]) == 0
    out, err = capsys.readouterr()
    assert out == f"{tmp_path / 'a/bo-ti'}\n"
    size, changed = err.splitlines()
    assert size.startswith("bo-ti: ")
    assert "as int8" in size
    assert " of 3 answers changed; BLEU " in changed
    card = (tmp_path / "a/bo-ti/CARD.md").read_text(encoding="utf-8")
    for word in ("# bo-ti\n", "bo, dà.", "| CC0 |", "| made up |", "\nregard train\n"):
        assert word in card
    assert load_translator(tmp_path / "a/bo-ti").translate(["bo"])


def test_precision_and_sentences_are_heard(run, tmp_path, capsys):
    folder = tmp_path / "x"
    words = ["--precision", "float16", "--sentences", "0"]
    assert main(["pack", str(run), "--out", str(folder), *words]) == 0
    err = capsys.readouterr().err
    assert "as float16" in err
    assert "answers" not in err
    assert "| float16; " in (folder / "CARD.md").read_text()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nowhere", "--out", "x"], "nowhere has no checkpoint"),
        (["{run}", "--out", "."], "is there already"),
        (["{run}", "--out", "x", "--text", "no.md"], "no.md: cannot be read, No such file"),
        (["{run}", "--out", "x", "--text", "latin.md"], "latin.md: needs to be text in UTF-8"),
        (["{run}", "--out", "x", "--precision", "int4"], "int8"),
        (["{run}", "--out", "x", "--sentences", "-1"], "0 sentences or more"),
        (["{run}", "--out", "file/x"], "file cannot be made"),
        (["{run}"], "--out"),
    ],
)
def test_mistakes_are_one_line_and_leave_nothing(
    words, complaint, run, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "latin.md").write_bytes(b"caf\xe9")
    (tmp_path / "file").touch()
    assert main(["pack", *(word.format(run=run) for word in words)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert complaint in err
    assert len(err.strip().splitlines()) == 1
    assert {path.name for path in tmp_path.iterdir()} == {"file", "latin.md"}
