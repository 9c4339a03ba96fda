"""A run that was stopped and resumed is, bit for bit, the run that was not."""

import pytest
import torch

from regard.tasks.translation import GrammarData, VocabularyConfig
from regard.tasks.translation import grammar as grammar_module
from regard.tasks.translation.config import LossConfig
from regard.training.schedules import InverseSquareRoot
from regard.training.settings import OptimisationConfig
from training import small
from training.small import Budget


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return small.corpus(tmp_path_factory.mktemp("corpus"))


@pytest.mark.parametrize("model", small.MODELS)
def test_every_kind_of_model_resumes_bit_for_bit(data, model, tmp_path):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    changes = {
        "loss": LossConfig(guided=0.3, label_smoothing=0.1),
        "validate_every": 9,
        "save_every": 9,
        "average": 0.9,
    }
    small.start(whole, data, model, **changes, budget=Budget(steps=3))
    small.start(cut, data, model, **changes, budget=Budget(steps=3), observer=small.Interrupter(1))
    assert small.go_on(cut) == "steps"
    assert small.same(small.everything(whole), small.everything(cut))


def test_a_run_resumes_in_the_middle_of_an_epoch_and_of_everything_else(data, tmp_path):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    optimisation = OptimisationConfig(
        rate=0.01, accumulate=2, schedule=InverseSquareRoot(warmup=3), weight_decay=0.1
    )
    changes = {"optimisation": optimisation, "average": 0.5, "budget": Budget(steps=7)}
    small.start(whole, data, **changes)
    small.start(cut, data, **changes, observer=small.Interrupter(3))
    stopped = small.last(cut)
    assert stopped.step == 3
    assert stopped.resume["data"]["batch"] > 0
    assert small.go_on(cut, observer=small.Interrupter(5)) == "interrupted"
    assert small.go_on(cut) == "steps"
    found = small.everything(cut)
    assert found["state"]["data"]["epoch"] >= 2
    assert small.same(small.everything(whole), found)


def test_a_run_on_the_grammar_resumes_bit_for_bit(tmp_path, monkeypatch):
    monkeypatch.setattr(grammar_module, "POOL", 12)
    data = GrammarData(max_words=6, valid_size=3, vocabulary_pairs=20)
    changes = {"loss": LossConfig(guided=1.0), "budget": Budget(steps=4)}
    small.start(tmp_path / "whole", data, "hard", **changes)
    small.start(tmp_path / "cut", data, "hard", **changes, observer=small.Interrupter(3))
    assert small.go_on(tmp_path / "cut") == "steps"
    found = small.everything(tmp_path / "cut")
    assert found["state"]["data"]["pool"] > 0
    assert small.same(small.everything(tmp_path / "whole"), found)


def test_the_tests_above_can_fail(data, tmp_path):
    small.start(tmp_path / "a", data, budget=Budget(steps=2))
    small.start(tmp_path / "b", data, budget=Budget(steps=2), seed=1)
    left, right = small.everything(tmp_path / "a"), small.everything(tmp_path / "b")
    assert not small.same(left["model"], right["model"])
    assert not small.same(left["log"], right["log"])
    assert not small.same(torch.zeros(2), torch.ones(2))


def test_joint_parts_of_words_come_back_with_the_run(tmp_path):
    data = small.corpus(tmp_path, count=20)
    vocabulary = VocabularyConfig(level="bpe", size=280)
    small.start(tmp_path / "run", data, vocabulary=vocabulary, budget=Budget(steps=1))
    assert small.go_on(tmp_path / "run", 2) == "steps"
    assert small.last(tmp_path / "run").step == 2
