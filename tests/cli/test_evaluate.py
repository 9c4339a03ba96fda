"""``regard evaluate``: from models, files of translations and files of links to numbers."""

import ast
import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from rich.console import Console

from regard.cli import entry
from regard.cli.app import main
from regard.storage import manifest
from regard.task_registry import TASKS, evaluation_class
from regard.tasks.translation import GrammarData
from regard.tasks.translation.evaluation import evaluate, read_exam
from regard.tasks.translation.evaluation.systems import short
from regard.tasks.translation.predictor import load_translator
from training import small

QUICK = ["--search", "greedy", "--samples", "20", "--threads", "1"]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Runs of two kinds on one corpus, and of one on the grammar."""
    folder = tmp_path_factory.mktemp("trained")
    data = small.corpus(folder, count=12)
    for name in ("bahdanau", "plain"):
        small.start(folder / name, data, name, budget=small.Budget(steps=1))
    grammar = GrammarData(max_words=6, vocabulary_pairs=20, valid_size=2)
    small.start(folder / "grammar", grammar, budget=small.Budget(steps=1))
    return folder


def told(capsys, *words):
    """What is printed as JSON."""
    assert main(["evaluate", *map(str, words), *QUICK, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_numbers_are_those_of_the_library(trained, capsys):
    data, gold = trained / "valid.tsv", trained / "valid.links"
    found = told(capsys, f"{trained / 'bahdanau'}/", "--data", data, "--alignments", gold)
    exam = read_exam(data, gold=gold)
    expected = evaluate(load_translator(trained / "bahdanau"), exam.held_out, linked=exam.linked)
    system = found
    assert (found["task"], found["scores"]["chrf"]) == ("translation", expected.chrf.value)
    assert found["scores"]["aer"] == 100 * expected.aer
    assert found["scores"]["exact"] == 100 * expected.exact
    assert [*found["scores"]] == ["bleu", "chrf", "exact", "perplexity", "aer"]
    assert found["test"] == {"sentences": 3, "references": 3, "linked": 3, "skipped": 0}
    assert system["model"] == str(trained / "bahdanau")
    assert system["chrf"]["value"] == expected.chrf.value
    assert system["perplexity"]["per_word"] == pytest.approx(expected.perplexity.per_word)
    assert system["alignment"][0]["aer"] == expected.aer
    assert system["speed"]["tokens"] == expected.speed.tokens
    assert found["versus"] == []


def test_several_systems_are_a_list(trained, capsys):
    found = told(capsys, trained / "bahdanau", trained / "plain", "--data", trained / "valid.tsv")
    assert [one["model"] for one in found["models"]] == ["bahdanau", "plain"]
    assert found["models"][1]["scores"]["aer"] is None
    assert len(found["versus"]) == 1


def test_systems_stand_beside_each_other_in_tables_and_one_figure(trained, tmp_path, capsys):
    models = [str(trained / name) for name in ("bahdanau", "plain")]
    said = tmp_path / "said.txt"
    said.write_text("ti\nti\nti\n")
    picture = tmp_path / "lengths.svg"
    words = ["--data", str(trained / "valid.tsv"), "--alignments", str(trained / "valid.links")]
    words += ["--heads", "--hypotheses", str(said), "--figure", str(picture), "--edges", "2", "4"]
    assert main(["evaluate", *models, *words, *QUICK]) == 0
    out = capsys.readouterr().out
    assert "3 sentences, 3 references" in out
    assert "BLEU: nrefs:1|case:mixed" in out
    assert "Compared with bahdanau" in out
    assert "BLEU by length of the source" in out
    assert "AER of every head of bahdanau; * is the best" in out
    assert "│ * " in out
    assert str(said) in out
    assert picture.read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize("width", [80, 50])
def test_a_narrow_terminal_shows_every_name_and_cuts_no_figure(trained, width, monkeypatch, capsys):
    narrow = Console(width=width, color_system=None)
    monkeypatch.setattr("regard.cli.console.for_tables", lambda: narrow)
    models = [str(trained / name) for name in ("bahdanau", "plain")]
    words = ["--data", str(trained / "valid.tsv"), "--alignments", str(trained / "valid.links")]
    assert main(["evaluate", *models, *words, "--heads", *QUICK]) == 0
    out = capsys.readouterr().out
    assert "…" not in out
    assert max(map(len, out.splitlines())) <= width
    scores = out.split("BLEU:")[0].splitlines()
    assert [line for line in scores if not line.startswith(" ")][1:] == ["bahdanau", "plain"]
    values = [re.fullmatch(r"  (\S.*?)  +(\S.*)", line).groups() for line in scores[2:9]]
    assert [name for name, _ in values] == [
        "BLEU",
        "chrF",
        "exact",
        "perplexity, token",
        "perplexity, word",
        "AER",
        "tokens/s",
    ]
    assert re.fullmatch(r"\d+\.\d \[\d+\.\d, \d+\.\d\]", values[0][1])


def test_a_figure_that_cannot_be_written_does_not_cost_the_numbers(trained, tmp_path, capsys):
    said = tmp_path / "said.txt"
    said.write_text("ti\nti\nti\n")
    words = ["--data", str(trained / "valid.tsv"), "--hypotheses", str(said), "--samples", "5"]
    figure = tmp_path / "nowhere" / "x.png"
    assert main(["evaluate", *words, "--figure", str(figure)]) == 2
    out, err = capsys.readouterr()
    assert "3 sentences, 3 references" in out
    assert f"{figure}: cannot be written" in err


def test_a_device_that_is_not_there_is_one_sentence(trained, capsys):
    words = [str(trained / "bahdanau"), "--data", str(trained / "valid.tsv")]
    assert main(["evaluate", *words, "--device", "cuda:77"]) == 2
    assert "got 'cuda:77'; it has cpu" in capsys.readouterr().err


def test_a_test_may_come_from_the_standard_input(trained, monkeypatch, capsys):
    named = [trained / "bahdanau", "--data"]
    expected = told(capsys, *named, trained / "valid.tsv")
    with (trained / "valid.tsv").open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        found = told(capsys, *named, "-")
    assert found["test"] == expected["test"]
    assert found["bleu"] == expected["bleu"]


def test_a_model_of_the_grammar_is_tested_on_it(trained, capsys):
    found = told(capsys, trained / "grammar", "--sentences", 5)
    assert found["test"]["linked"] == found["test"]["sentences"] == 5
    longest = told(capsys, trained / "plain", "--grammar", "--sentences", 4, "--max-words", 5)
    assert longest["test"]["sentences"] == 4
    assert longest["alignment"] == []


def test_a_model_that_ships_is_not_taken_for_a_folder_that_lies_about(
    trained, tmp_path, monkeypatch, capsys
):
    shutil.copytree(trained / "grammar", tmp_path / "en-fr-bahdanau")
    monkeypatch.chdir(tmp_path)
    assert main(["evaluate", "en-fr-bahdanau", "--sentences", "3", *QUICK]) == 2
    assert "a test needs --data" in capsys.readouterr().err
    assert told(capsys, "./en-fr-bahdanau", "--sentences", 3)["test"]["sentences"] == 3


def _a_device(config):
    config.unlink()
    config.symlink_to(os.devnull)


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (_a_device, "config.json is damaged: it is a device"),
        (lambda config: config.write_text("["), "config.json is damaged: it has 1 bytes"),
        (lambda config: _resealed(config, "[" * 100_000), "config.json needs to be a "),
        (lambda config: _resealed(config, '{"data": "grammar"}'), "config.json needs to be a "),
    ],
    ids=["device", "changed", "deep", "data"],
)
def test_a_config_that_is_none_is_one_line_before_there_is_a_test(
    trained, spoil, complaint, tmp_path, capsys
):
    (best,) = (trained / "grammar").glob("best-*")
    spoil(shutil.copytree(best, tmp_path / best.name) / "config.json")
    assert main(["evaluate", str(tmp_path / best.name)]) == 2
    err = capsys.readouterr().err
    assert complaint in err
    assert len(err.strip().splitlines()) == 1


def _resealed(config, content):
    config.write_text(content)
    (config.parent / manifest.NAME).unlink()
    manifest.seal(config.parent)


def test_links_of_both_directions_are_intersected(trained, capsys):
    words = ["--data", trained / "valid.tsv", "--alignments", trained / "valid.links"]
    model = trained / "bahdanau"
    found = told(capsys, model, *words, "--reverse", model, "--rule", "threshold", "--above", 0)
    (both,) = found["links"]
    assert both["name"] == f"{model} ∩ {model}"
    assert 0 < both["links"] <= found["alignment"][0]["links"]
    less, more = (
        told(capsys, model, *words, "--reverse", model, "--symmetrise", how)["links"][0]
        for how in ("intersection", "union")
    )
    assert more["name"] == f"{model} union {model}"
    assert less["links"] < more["links"]


def test_translations_of_a_file_are_scored_without_a_model(trained, tmp_path, capsys):
    targets = [line.split("\t")[1] for line in (trained / "valid.tsv").read_text().splitlines()]
    said = tmp_path / "said.txt"
    said.write_text("\n".join([*targets[:2], "wrong"]) + "\n")
    system = told(capsys, "--hypotheses", said, "--data", trained / "valid.tsv")
    assert system["exact"] == pytest.approx(2 / 3)
    assert system["perplexity"] is None


def test_links_of_an_aligner_are_scored_without_a_model(tmp_path, capsys):
    gold, links = tmp_path / "gold", tmp_path / "links"
    gold.write_text("1-1 2p2\n\n1-2\n")
    links.write_text("0-0 1-1\n0-0\n1-0\n")
    words = ["--links", str(links), "--alignments", str(gold), "--counted-from", "1"]
    (found,) = told(capsys, *words)["links"]
    assert (found["links"], found["sure"]) == (3, 2)
    assert found["aer"] == pytest.approx(1 - (1 + 2) / (3 + 2))
    assert main(["evaluate", *words]) == 0
    assert "40.0 %" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "needs something to measure"),
        (["--hypotheses", "x"], "a test needs --data"),
        (["nowhere", "--data", "valid.tsv"], "nowhere"),
        (["plain"], "a test needs --data"),
        (["plain", "--data", "valid.tsv", "--grammar"], "--data and --grammar are two tests"),
        (
            ["plain", "--data", "valid.tsv", "--sentences", "3"],
            "--sentences belongs to the grammar",
        ),
        (["plain", "--grammar", "--columns", "1", "2"], "--columns needs --data"),
        (["plain", "--grammar", "--alignments", "g"], "--alignments needs --data"),
        (["plain", "--data", "valid.tsv", "--heads"], "need gold links"),
        (["plain", "--data", "valid.tsv", "--figure", "x.pdf"], "ends in .png or .svg"),
        (
            ["plain", "--data", "valid.tsv", "--rule", "threshold"],
            "--rule threshold needs --threshold",
        ),
        (["plain", "--data", "valid.tsv", "--samples", "-1"], "--samples needs at least 0, got -1"),
        (["plain", "--data", "valid.tsv", "--edges", "3", "2"], "edges must grow"),
        (["plain", "--data", "valid.tsv", "train.tsv"], "needs as many lines as"),
        (["--hypotheses", "valid.tsv", "--data", "train.tsv"], "valid.tsv: needs 12 lines"),
        (["--links", "valid.links"], "--links needs --alignments"),
        (["--links", "valid.links", "--alignments", "train.links"], "needs a line for each of the"),
        (
            ["--links", "valid.links", "--alignments", "valid.links", "--figure", "x.png"],
            "--figure",
        ),
    ],
)
def test_mistakes_are_one_line(trained, words, complaint, monkeypatch, capsys):
    monkeypatch.chdir(trained)
    assert main(["evaluate", *words]) == 2
    err = capsys.readouterr().err
    assert complaint in err
    assert len(err.strip().splitlines()) == 1


@pytest.mark.parametrize("kind", list(TASKS))
def test_the_words_of_a_task_are_the_fields_of_its_test(kind, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setattr("regard.cli.evaluate._kind", lambda words: kind)
    assert main(["evaluate", "run", "--help"]) == 0
    page = " ".join(capsys.readouterr().out.replace("│", " ").split())
    fields = evaluation_class(kind).model_fields
    assert {"data", "samples"} <= set(fields)
    for name, field in fields.items():
        assert f"--{name.replace('_', '-')} " in page
        assert " ".join(field.description.split())[:60] in page
    for option in ("--json", "--figure", "--threads", "--device"):
        assert option in page


def test_models_of_two_tasks_have_no_test_in_common(trained, monkeypatch, capsys):
    both = {str(trained / name): kind for name, kind in (("bahdanau", "tagging"), ("plain", "x"))}
    monkeypatch.setattr("regard.cli.evaluate._kind_of", both.__getitem__)
    assert main(["evaluate", *both, "--data", "x"]) == 2
    assert "evaluate needs models of one task" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["train", "evaluate", "pack", "list", "show"])
def test_a_command_for_every_task_knows_none(verb):
    """Neither it nor what it takes from the command line's other files."""
    folder = Path(entry.__file__).parent
    homes = [folder.parents[1].joinpath(*home.split(".")) for home in TASKS._values.values()]
    found, waiting = set(), {folder / f"{verb}.py"}
    while waiting:
        file = waiting.pop()
        found.add(file)
        tree = ast.parse(file.read_text())
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                above = file.parents[node.level - 1] if node.level else folder.parents[1]
                target = above.joinpath(*(node.module or "").split("."))
                for one in (target, *(target / alias.name for alias in node.names)):
                    assert not any(one.is_relative_to(home) for home in homes), f"{file}: {one}"
                    if folder in one.parents and one.with_suffix(".py").exists():
                        waiting |= {one.with_suffix(".py")} - found
            if isinstance(node, ast.Constant):
                assert str(node.value) not in TASKS, f"{file}:{node.lineno}"
    assert len(found) >= 1


@pytest.mark.parametrize(
    ("models", "names"),
    [
        (["runs/a"], ["runs/a"]),
        (["runs/a", "runs/b"], ["a", "b"]),
        (["runs/a", "other/a"], ["runs/a", "other/a"]),
        (["a", "b"], ["a", "b"]),
        (["runs/a", "runs/a"], ["runs/a", "runs/a"]),
    ],
)
def test_names_go_without_the_folder_that_all_share(models, names):
    assert short(models) == names
