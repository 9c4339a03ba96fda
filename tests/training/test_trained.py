"""Training in one call."""

import pytest

import regard
from regard.errors import ChoiceError
from regard.tasks.translation import TranslationTask
from regard.training import Observer
from regard.training.launch import free_folder
from training import small

SIZES = {f"model.{name}": size for name, size in small.MODELS["bahdanau"][1].items()}


class Steps(Observer):
    def __init__(self):
        self.made = 0

    def updated(self, run, update):
        self.made += 1


@pytest.fixture
def pairs(tmp_path):
    return small.corpus(tmp_path, count=12)


def test_a_run_has_scores_a_log_a_folder_and_a_predictor(pairs, tmp_path, capsys):
    steps = Steps()
    run = regard.train(
        pairs,
        "bahdanau-small",
        tmp_path / "run",
        progress=False,
        observer=steps,
        changes=SIZES,
        steps=3,
        log_every=1,
        level="words",
        batch_tokens=40,
    )
    assert (run.ending, run.folder, steps.made) == ("steps", tmp_path / "run", 3)
    assert {"bleu", "chrf", "exact", "loss"} <= run.scores.keys()
    kinds = {kind: [] for kind in run.log["kind"]}
    for kind, step, score in zip(run.log["kind"], run.log["step"], run.log["bleu"], strict=True):
        kinds[kind].append((step, score))
    assert run.scores["bleu"] == max(score for _, score in kinds["valid"])
    assert kinds["train"] == [(1, None), (2, None), (3, None)]
    assert run.predictor.translate(["bo"])
    assert capsys.readouterr() == ("", "")


def test_a_whole_task_keeps_what_it_says(pairs, tmp_path):
    task = TranslationTask(data=pairs, vocabulary={"level": "characters"})
    run = regard.train(
        task, "bahdanau-small", tmp_path / "run", progress=False, changes=SIZES, steps=1
    )
    assert run.predictor.vocabularies.source.kind == "characters"


def test_progress_is_shown_with_the_plan_of_the_run(pairs, tmp_path, capsys):
    folder = tmp_path / "run"
    regard.train(pairs, "bahdanau-small", folder, changes=SIZES, steps=1, level="words")
    lines = capsys.readouterr().err.splitlines()
    begins = [line.split()[0] for line in lines[:5]]
    assert begins == ["Data:", "Codec:", "Training", "Batches", "Rate"]
    assert str(folder) in lines[2]
    assert "ends after 1 updates" in lines[4]


def test_an_unknown_setting_is_told_before_anything_is_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ChoiceError, match="unknown setting 'stepps', did you mean 'steps'"):
        regard.train(stepps=3)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_its_own_is_found_for_every_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert str(free_folder("x")) == "runs/x"
    (tmp_path / "runs/x").mkdir(parents=True)
    assert str(free_folder("x")) == "runs/x-2"
    assert str(free_folder("x", "here")) == "here"
