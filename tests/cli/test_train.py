"""``regard train``: from a file of pairs to a run, and on from there."""

import json
import os
import re
import shlex
import signal
import sys

import pytest

from regard.cli.app import main
from regard.storage.run_folder import load_model
from regard.tasks.translation import FileData, GrammarData
from regard.tasks.translation.example import Example
from regard.training.config import RunConfig
from regard.training.view import View

WIDTHS = ("hidden_dim", "embedding_dim", "attention_dim", "readout_dim")
SMALL = ["--set", *[f"model.{name}=8" for name in WIDTHS]]
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
    assert "step 2: valid BLEU" in said
    assert f"regard train --resume {folder}" in said
    assert said.count("For a look, sentences it is validated on:\n") == 1
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
    named += ["--rate", "0.25", "--threads", "1"]
    assert main(["train", "--init-from", str(first), *named]) == 0
    config, _ = load_model(second, RunConfig)
    assert config.optimisation.rate == 0.25
    assert config.model.hidden_dim == 8
    assert config.task.vocabulary.level == "words"
    assert main(["train", "--init-from", str(first), "--level", "bpe"]) == 2
    assert "--level came too" in capsys.readouterr().err
    assert main(["train", "--init-from", str(tmp_path / "nowhere")]) == 2
    assert "--init-from needs the folder of a run" in capsys.readouterr().err


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
    assert config.task.loss.label_smoothing == 0.3
    assert config.task.loss.guided == 0.7
    assert (config.average, config.seed, config.batch.seed) == (0.5, 11, 11)
    assert (config.measure, config.budget.patience) == ("chrf", 9)
    assert config.batch.max_tokens == 40
    assert config.task.data.filters.max_ratio == 3
    assert config.model.hidden_dim == 8
    assert config.task.vocabulary.level == "words"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--model", "bahdanau-smal"], "Did you mean 'bahdanau-small'"),
        (["--data", "nowhere.tsv"], "nowhere.tsv"),
        (["--valid", "pairs.tsv"], "--valid needs --data"),
        (["--rate", "-1"], "regard: --rate needs more than 0, got -1.0"),
        (["--steps", "0"], "regard: --steps needs at least 1, got 0"),
        (["--batch-tokens", "0"], "--batch-tokens needs at least 1, got 0"),
        (["--vocabulary", "3"], "--vocabulary needs at least 8, got 3"),
        (["--goal", "nan"], "--goal needs a finite number, got nan"),
        (["--goal", "inf"], "--goal needs a finite number, got inf"),
        (["--clip", "0", "--rate", "0"], "--rate needs more than 0, got 0.0; --clip needs more"),
        (["--data", "x.tsv", "--max-ratio", "nan"], "--max-ratio needs a finite number, got nan"),
        (["--warmup", "9", "--steps", "5"], "needs to be warm before it ends, got warmup 9"),
        (["--resume", "typo"], "typo has no checkpoint"),
        (["--resume", "typo", "--steps", "0"], "--steps needs at least 1, got 0"),
        (["--resume", "run", "--rate", "1"], "--rate came too"),
        (["--resume", "run", "--model", "hard-small"], "--model came too"),
        (["--schedule", "linear", "--data", "x.tsv"], "pass --steps"),
        (["--threads", "0"], "threads need to be 1 or more, got 0"),
        (["--threads", "-1"], "threads need to be 1 or more, got -1"),
        (["--device", "meta"], "can compute on, got 'meta'; it has cpu"),
        (["--set", "model.hidden_dim"], "--set needs name=value"),
        (["--set", "model.hidden=3", "--max-words", "5"], "unknown field 'hidden'"),
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
    assert list(tmp_path.iterdir()) == []


def test_the_line_that_says_how_to_go_on_goes_on(pairs, tmp_path, capsys):
    folder = tmp_path / "a run"
    assert trained(pairs, folder, "--steps", "2") == 0
    for steps in (4, 8):
        [line] = re.findall("Go on with: regard (.*)", capsys.readouterr().err)
        assert main(shlex.split(line)) == 0
        assert log_of(folder)[-1]["step"] == steps


def test_a_schedule_at_its_end_is_gone_on_from_and_not_with(pairs, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert trained(pairs, tmp_path / "run", "--steps", "3", "--schedule", "linear") == 0
    [line] = re.findall("Go on with: regard (.*)", capsys.readouterr().err)
    assert main(["train", "--resume", str(tmp_path / "run"), "--steps", "6"]) == 2
    assert "--init-from" in capsys.readouterr().err
    assert main([*shlex.split(line), "--batch-tokens", "40"]) == 0
    assert load_model("runs/run", RunConfig)[0].ancestor.name.startswith("run/")


def test_going_on_from_another_model_learns_from_the_first_steps(pairs, tmp_path, capsys):
    first, second = tmp_path / "first", tmp_path / "second"
    assert trained(pairs, first, "--steps", "2") == 0
    named = ["--data", str(pairs), "--valid", str(pairs), "--out", str(second), "--steps", "20"]
    named += ["--rate", "1e-2", "--threads", "1"]
    assert main(["train", "--init-from", str(first), *named]) == 0
    assert "Rate 0.01 after 2 updates of warm-up; validation on" in capsys.readouterr().err
    rates = [line["rate"] for line in log_of(second) if line["kind"] == "train"]
    assert min(rates) > 0.002
    losses = [line["loss"] for line in log_of(second) if line["kind"] == "train"]
    assert losses[-1] < losses[0]


@pytest.mark.usefixtures("heard")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_before_the_first_step_ends_the_command_and_leaves_nothing(
    number, code, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    before = signal.getsignal(number)
    monkeypatch.setattr(GrammarData, "texts", lambda self: os.kill(os.getpid(), number))
    with pytest.raises(SystemExit) as caught:
        main(["train"])
    assert caught.value.code == code
    assert list(tmp_path.iterdir()) == []
    assert signal.getsignal(number) is before


@pytest.mark.usefixtures("heard")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_in_a_step_ends_the_command_with_a_checkpoint(
    pairs, number, code, tmp_path, monkeypatch
):
    original = View.updated

    def updated(self, run, update):
        original(self, run, update)
        os.kill(os.getpid(), number)

    monkeypatch.setattr(View, "updated", updated)
    assert trained(pairs, tmp_path / "run", "--steps", "9") == code
    assert [path.name for path in (tmp_path / "run").glob("step-*")] == ["step-00000001"]


def test_pairs_may_come_from_the_standard_input(pairs, tmp_path, monkeypatch, capsys):
    named = ["--data", "-", "--valid", str(pairs), "--out", str(tmp_path / "run")]
    with pairs.open(encoding="utf-8") as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert main(["train", *SMALL, *named, "--steps", "1"]) == 0
    assert "read 25 lines" in capsys.readouterr().err


def test_a_dry_run_shows_the_plan_and_leaves_nothing(pairs, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    named = ["--data", str(pairs), "--valid", str(pairs), "--steps", "3"]
    assert main(["train", *SMALL, *named, "--dry-run"]) == 0
    out, err = capsys.readouterr()
    begins = [line.split()[0] for line in out.splitlines()]
    assert begins == ["Data:", "Codec:", "Training", "Batches", "Rate"]
    assert "on cpu with 1 thread" in out
    assert err == ""
    assert sorted(tmp_path.iterdir()) == before


def test_a_quiet_run_says_nothing(pairs, tmp_path, capsys):
    assert trained(pairs, tmp_path / "run", "--steps", "1", "--quiet") == 0
    assert capsys.readouterr() == ("", "")


def test_the_config_of_a_run_makes_the_same_run_but_for_what_is_said(pairs, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    assert trained(pairs, first, "--steps", "2", "--schedule", "linear", "--rate", "0.5") == 0
    [place] = first.glob("step-*/config.json")
    words = ["--config", str(place), "--steps", "3", "--clip", "0.25", "--set", "clip=0.125"]
    assert main(["train", *words, "--threads", "1", "--out", str(second)]) == 0
    old, new = load_model(first, RunConfig)[0], load_model(second, RunConfig)[0]
    assert new.model == old.model
    assert (new.budget.steps, new.optimisation.schedule.steps) == (3, 3)
    assert new.optimisation.clip == 0.125
    same = {"task", "batch", "measure", "seed", "average"}
    assert new.model_dump(include=same) == old.model_dump(include=same)


def test_settings_may_stand_in_a_toml_file(pairs, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('model = "transformer-tiny"\nrate = 0.25\n[optimisation]\nclip = 2.0\n')
    named = ["--data", str(pairs), "--valid", str(pairs), "--out", str(tmp_path / "run")]
    words = ["--config", str(file), "--clip", "3", "--steps", "1", "--level", "words"]
    assert main(["train", *words, *named, "--threads", "1"]) == 0
    config, _ = load_model(tmp_path / "run", RunConfig)
    assert config.model.kind == "transformer"
    assert (config.optimisation.rate, config.optimisation.clip) == (0.25, 3.0)


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("x.json", "{", "x.json: "),
        ("x.json", "[1]", "settings need to be names with values"),
        ("x.txt", "", "ends in .json, .toml or .yaml"),
        ("x.toml", "rat = 1", "unknown setting 'rat', did you mean 'rate'?"),
        ("x.toml", 'task.kind = "tagging"', "is about tagging: regard train tagging?"),
    ],
)
def test_a_wrong_file_of_settings_is_one_line(name, text, complaint, tmp_path, capsys):
    (tmp_path / name).write_text(text)
    assert main(["train", "--config", str(tmp_path / name)]) == 2
    err = capsys.readouterr().err
    assert complaint in err
    assert len(err.strip().splitlines()) == 1


def test_the_task_may_be_named_and_must_be_known(pairs, tmp_path, capsys):
    named = ["--data", str(pairs), "--valid", str(pairs), "--out", str(tmp_path / "run")]
    assert main(["train", "translation", *SMALL, *named, "--steps", "1"]) == 0
    capsys.readouterr()
    assert main(["train", "transation"]) == 2
    assert "Did you mean 'translation'" in capsys.readouterr().err


def test_earlier_spellings_of_flags_are_still_heard(pairs, tmp_path):
    words = ["--word-rate=2.5", "--spread", "replicated", "--steps", "1"]
    assert trained(pairs, tmp_path / "run", *words) == 0
    config, _ = load_model(tmp_path / "run", RunConfig)
    assert config.optimisation.rate_factors["embeddings"] == 2.5


NESTED = '{{"translation": {{"en": "ba de {0}", "fr": "ti lu {0}"}}}}\n'


@pytest.mark.parametrize(
    ("name", "head", "line"),
    [("pairs.jsonl", "", NESTED), ("pairs.csv", "fr,en\n", "ti {0},ba {0}\n")],
)
def test_source_and_target_are_told_by_their_names(tmp_path, capsys, name, head, line):
    path = tmp_path / name
    path.write_text(head + "".join(map(line.format, range(30))))
    named = ["--data", str(path), "--valid", str(path), "--level", "words", "--dry-run"]
    assert main(["train", *named, "--fields", "en", "fr"]) == 0
    assert "read 30 lines, kept 30" in capsys.readouterr().out
    data = FileData(train=(str(path),), fields=("en", "fr"))
    assert data.flags() == ["--data", str(path), "--fields", "en", "fr"]
    assert next(iter(data.texts())).source.startswith("ba ")
