"""``regard train``: from a file of pairs to a run, and on from there."""

import json

import pytest

from regard.cli.app import main
from regard.tasks.batches import Example
from regard.tasks.translation import GrammarData
from regard.training import load_model
from regard.training.config import RunConfig

SMALL = ["--change", "hidden_dim=8", "embedding_dim=8", "attention_dim=8", "readout_dim=8"]
SMALL += ["--level", "words", "--threads", "1", "--batch-tokens", "40"]


@pytest.fixture
def pairs(tmp_path):
    words = {"red": "rouge", "dress": "robe", "cat": "chat", "black": "noir", "dog": "chien"}
    lines = [f"{a} {b}\t{words[b]} {words[a]}" for a in words for b in words]
    path = tmp_path / "pairs.tsv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def trained(pairs, folder, *more):
    named = ["--data", str(pairs), "--valid", str(pairs), "--out", str(folder)]
    return main(["train", *SMALL, *named, *more])


def log_of(folder):
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


def test_a_run_leaves_checkpoints_a_log_and_says_how_to_go_on(pairs, tmp_path, capsys):
    folder = tmp_path / "run"
    assert trained(pairs, folder, "--steps", "3", "--validate-every", "2") == 0
    said = capsys.readouterr().err
    assert "read 25 lines, kept 25" in said
    assert "step 2: valid loss" in said
    assert f"regard train --resume {folder}" in said
    assert [path.name for path in sorted(folder.glob("step-*"))] == ["step-00000003"]
    assert [line["step"] for line in log_of(folder) if line["kind"] == "valid"] == [2, 3]


def test_a_resumed_run_goes_on_with_another_budget(pairs, tmp_path, capsys):
    folder = tmp_path / "run"
    assert trained(pairs, folder, "--steps", "2") == 0
    assert main(["train", "--resume", str(folder), "--steps", "5"]) == 0
    assert "from step 2" in capsys.readouterr().err
    config, _ = load_model(folder / "step-00000005", RunConfig)
    assert config.budget.steps == 5


def test_a_run_goes_on_from_another_with_other_settings(pairs, tmp_path, capsys):
    first, second = tmp_path / "first", tmp_path / "second"
    assert trained(pairs, first, "--steps", "2") == 0
    named = ["--data", str(pairs), "--valid", str(pairs), "--out", str(second), "--steps", "1"]
    assert main(["train", "--from", str(first), *named, "--rate", "0.25", "--threads", "1"]) == 0
    config, _ = load_model(second, RunConfig)
    assert config.optimisation.rate == 0.25
    assert config.model.hidden_dim == 8
    assert config.vocabulary.level == "words"
    assert main(["train", "--from", str(first), "--level", "bpe"]) == 2
    assert "--level came too" in capsys.readouterr().err
    assert main(["train", "--from", str(tmp_path / "nowhere")]) == 2
    assert "--from needs the folder of a run" in capsys.readouterr().err


def test_what_is_said_reaches_the_run(pairs, tmp_path):
    folder = tmp_path / "run"
    said = ["--rate", "0.5", "--warmup", "7", "--schedule", "linear", "--clip", "0.25"]
    said += ["--label-smoothing", "0.3", "--guided", "0.7", "--average", "0.5", "--seed", "11"]
    said += ["--accumulate", "2", "--measure", "chrf", "--patience", "9", "--max-ratio", "3"]
    assert trained(pairs, folder, "--steps", "20", *said) == 0
    config, _ = load_model(folder, RunConfig)
    assert config.optimisation.rate == 0.5
    assert config.optimisation.schedule(7) == 1
    assert config.optimisation.schedule(20) == 0
    assert config.optimisation.clip == 0.25
    assert config.optimisation.accumulate == 2
    assert config.objective.label_smoothing == 0.3
    assert config.objective.guided == 0.7
    assert (config.average, config.seed, config.batch.seed) == (0.5, 11, 11)
    assert (config.measure, config.budget.patience) == ("chrf", 9)
    assert config.batch.max_tokens == 40
    assert config.data.filters.max_ratio == 3
    assert config.model.hidden_dim == 8
    assert config.vocabulary.level == "words"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--model", "bahdanau-smal"], "Did you mean 'bahdanau-small'"),
        (["--data", "nowhere.tsv"], "nowhere.tsv"),
        (["--valid", "pairs.tsv"], "--valid needs --data"),
        (["--rate", "-1"], "optimisation.rate: Input should be greater than 0"),
        (["--resume", "run", "--rate", "1"], "--rate came too"),
        (["--resume", "run", "--model", "hard-small"], "--model came too"),
        (["--schedule", "linear", "--data", "x.tsv"], "pass --steps"),
        (["--change", "hidden_dim"], "--change needs name=value"),
        (["--change", "hidden=3", "--max-words", "5"], "unknown field 'hidden'"),
    ],
)
def test_mistakes_are_one_line(words, complaint, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    example = Example("a b", "c d")
    monkeypatch.setattr(GrammarData, "texts", lambda self: iter([example]))
    assert main(["train", *words]) == 2
    err = capsys.readouterr().err
    assert complaint in err
    assert len(err.strip().splitlines()) == 1
