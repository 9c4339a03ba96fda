"""Measuring word vectors: neighbours against words drawn."""

import json

import pytest
import torch

from regard.cli.app import main
from regard.data.running import GrammarText
from regard.models import WordVectors, WordVectorsConfig
from regard.tasks.word_vectors import WordVectorsTask
from regard.tasks.word_vectors.codec import learned
from regard.tasks.word_vectors.evaluation import WordVectorsEvaluation
from regard.tasks.word_vectors.predictor import WordEmbedder
from regard.training import Budget, Settings, launch

LINES = ["a b a b a b a b", "c d c d c d c d"]


@pytest.fixture
def embedders():
    codec = learned(LINES * 5, size=9, min_count=1)
    good, plain = (WordVectors(WordVectorsConfig(vocab=4, dim=2)) for _ in range(2))
    with torch.no_grad():
        for number, word in enumerate(codec.words):
            side = torch.tensor([1.0, 0.0] if word in "ab" else [0.0, 1.0])
            good.words.weight[number] = good.contexts.weight[number] = side
        plain.words.weight.fill_(1)
        plain.contexts.weight.fill_(1)
    return {"good": WordEmbedder(good, codec), "plain": WordEmbedder(plain, codec)}


def test_neighbours_that_lie_near_are_ranked_first_and_ties_count_half(embedders, tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("\n".join([*LINES, "a b qwrtz qwrtz"]))
    report = WordVectorsEvaluation(data=(str(path),), samples=30).measured(embedders)
    good, plain = report.systems
    assert plain.ranked.value == pytest.approx(50)
    # Half of the words drawn lie on the same side: these are no nearer and no farther.
    assert 65 < good.ranked.value < 85
    assert good.known == pytest.approx(100 * 18 / 20)
    [versus] = report.versus
    assert versus.found.difference == pytest.approx(50 - good.ranked.value)


def test_the_command_tells_it(tmp_path, capsys):
    task = WordVectorsTask(data=GrammarText(max_words=7, vocabulary_sentences=300, valid_size=20))
    launch(Settings(task=task, budget=Budget(steps=1)), "word-vectors", tmp_path / "run")
    words = ["evaluate", str(tmp_path / "run"), "--sentences", "30", "--samples", "10"]
    assert main(words) == 0
    assert "ranked" in capsys.readouterr().out
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["task"] == "word-vectors"
