import json
import shutil

import pytest

from regard.errors import InputError, StorageError
from regard.storage.run_folder import load_model, places
from regard.training.config import RunConfig
from regard.zoo.trained import trained


def test_it_is_the_best_checkpoint_with_its_scores(run):
    found = trained(run)
    [place] = places(run, "best")
    config, weights = load_model(run, RunConfig)
    assert found.config == config
    assert found.weights.keys() == weights.keys()
    assert found.progress.step == place.step
    assert found.progress.seconds > 0
    lines = [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]
    [line] = [one for one in lines if one["kind"] == "valid" and one["step"] == place.step]
    assert found.scores == {name: line[name] for name in found.scores}
    assert {"loss", "bleu", "aer"} <= found.scores.keys()


def copied(run, tmp_path, lines):
    """The best checkpoint beside another log."""
    [place] = places(run, "best")
    shutil.copytree(place.path, tmp_path / place.path.name)
    text = "".join(f"{json.dumps(line)}\n" for line in lines(place.step))
    (tmp_path / "log.jsonl").write_text(text)
    return tmp_path


def valid(step, **changes):
    scores = {"loss": 2.5, "bleu": 3.5, "chrf": 4.5, "exact": 0.5, "aer": None}
    return {"step": step, "kind": "valid", **scores, **changes}


def test_the_last_validation_of_its_step_counts_and_no_other_line(run, tmp_path):
    def lines(step):
        return [
            valid(step - 1),
            valid(step),
            valid(step, bleu=9.5),
            {"step": step, "kind": "train"},
        ]

    scores = {"loss": 2.5, "bleu": 9.5, "chrf": 4.5, "exact": 0.5, "aer": None}
    assert trained(copied(run, tmp_path, lines)).scores == scores


@pytest.mark.parametrize("changes", [{"loss": None}, {"step": 10**6}, {"kind": "train"}])
def test_without_a_whole_validation_there_are_no_scores(run, tmp_path, changes):
    assert trained(copied(run, tmp_path, lambda step: [valid(step) | changes])).scores is None


def test_a_log_that_is_none_is_named(run, tmp_path):
    folder = copied(run, tmp_path, lambda step: ["no line"])
    with pytest.raises(InputError, match=r"log\.jsonl, line 1"):
        trained(folder)


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(StorageError, match="has no checkpoint"):
        trained(tmp_path)
