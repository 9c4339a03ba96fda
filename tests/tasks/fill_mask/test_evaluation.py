"""Measuring models of hidden tokens: against loops, beside each other, from the command line."""

import json
import math

import numpy as np
import pytest
import torch

from regard.cli.app import main
from regard.data.running import GrammarText
from regard.data.running.codec import VocabularyConfig
from regard.models import build
from regard.tasks.fill_mask.corpus import encode
from regard.tasks.fill_mask.evaluation import FillMaskEvaluation
from regard.tasks.fill_mask.masking import Masking
from regard.tasks.fill_mask.predictor import Filler
from regard.tasks.fill_mask.task import FillMaskTask
from regard.training import Budget, Settings, launch

GRAMMAR = GrammarText(max_words=7, vocabulary_sentences=300, valid_size=20)
TEXTS = ["The black cat ate the mouse.", "I love you.", "The red dress of the queen is here."]


@pytest.fixture(scope="module")
def fillers():
    task = FillMaskTask(data=GRAMMAR, vocabulary=VocabularyConfig(size=400))
    codec = task.learn()
    found = {}
    for seed, name in enumerate(("one", "other")):
        torch.manual_seed(seed)
        found[name] = Filler(build("bert-tiny", **codec.sizes()).eval(), codec)
    return found


@pytest.fixture
def path(tmp_path):
    (tmp_path / "text.txt").write_text("\n".join(TEXTS))
    return str(tmp_path / "text.txt")


def test_scores_are_those_of_every_hidden_token_by_itself(fillers, path):
    filler = fillers["one"]
    corpus = encode(TEXTS, filler.codec.tokens, Masking(), longest=64)
    hits = among = count = 0
    nats = 0.0
    for row in range(3):
        one = corpus.batch(np.array([row]), indices=np.array([row]), num_targets=1)
        with torch.no_grad():
            logs = filler.model(one.tokens, one.lengths)[0].log_softmax(dim=-1)[one.places[0]]
        for said, wanted in zip(logs.tolist(), one.targets.tolist(), strict=True):
            order = sorted(range(len(said)), key=lambda token: -said[token])
            hits, among = hits + (order[0] == wanted), among + (wanted in order[:5])
            nats, count = nats - said[wanted], count + 1
    [found] = FillMaskEvaluation(data=(path,)).measured({"one": filler}).systems
    assert found.hidden == count
    assert found.accuracy.value == pytest.approx(100 * hits / count)
    assert found.among.value == pytest.approx(100 * among / count)
    assert found.nats.value == pytest.approx(nats / count, rel=1e-5)
    assert sum(bucket.texts for bucket in found.lengths) == 3


def test_models_of_one_vocabulary_are_compared_on_the_same_holes(fillers, path):
    report = FillMaskEvaluation(data=(path,), samples=50).measured(fillers)
    [versus] = report.versus
    values = [one.accuracy.value for one in report.systems]
    assert versus.found.difference == pytest.approx(values[1] - values[0])
    assert 0 < versus.found.p_value <= 1
    twice = {"a": fillers["one"], "b": fillers["one"]}
    same = FillMaskEvaluation(data=(path,)).measured(twice)
    assert same.versus[0].found.difference == 0
    assert math.isclose(same.versus[0].found.p_value, 1)


def test_the_grammar_is_the_test_where_there_is_no_other(fillers):
    assert FillMaskEvaluation(sentences=7, samples=0).measured(fillers).texts == 7


def test_the_command_prints_tables_and_json(path, tmp_path, capsys):
    task = FillMaskTask(data=GRAMMAR, vocabulary=VocabularyConfig(size=400))
    launch(Settings(task=task, budget=Budget(steps=1)), "bert-tiny", tmp_path / "run")
    words = ["evaluate", str(tmp_path / "run"), "--data", path, "--samples", "20"]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "among five" in said and "Masked accuracy by length" in said
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["task"] == "fill-mask" and set(found["scores"]) == {
        "accuracy",
        "among_five",
        "nats",
    }
    assert found["intervals"]["accuracy"]["low"] <= found["scores"]["accuracy"]
