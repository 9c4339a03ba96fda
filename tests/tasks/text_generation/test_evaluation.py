"""Measuring language models: by place, beside each other."""

import math

import numpy as np
import pytest
import torch

from regard.models import GPTConfig, build
from regard.tasks.text_generation.codec import VocabularyConfig
from regard.tasks.text_generation.evaluation import GenerationEvaluation
from regard.tasks.text_generation.predictor import Generator
from regard.tasks.text_generation.scoring import surprise

TEXT = "abc acb bca bac cab " * 9


@pytest.fixture
def generators():
    codec = VocabularyConfig().learn(TEXT)
    found = {}
    for seed, name in enumerate(("one", "other")):
        torch.manual_seed(seed)
        config = GPTConfig(
            context=7, model_dim=8, hidden_dim=12, num_layers=1, num_heads=2, **codec.sizes()
        )
        found[name] = Generator(build(config).eval(), codec)
    return found


def test_nats_by_place_are_means_over_whole_windows(generators):
    one = generators["one"]
    tokens = one.codec.encode(TEXT)
    found = surprise(one.model, tokens, length=7, max_tokens=21)
    sums = [[] for _ in range(7)]
    for start in range(0, len(tokens) - 7, 7):
        window = torch.from_numpy(tokens[start : start + 8])[None]
        with torch.no_grad():
            logs = one.model(window[:, :-1]).log_softmax(dim=-1)[0]
        for place in range(7):
            sums[place].append(-logs[place, window[0, place + 1]].item())
    assert found.by_place.tolist() == pytest.approx([np.mean(each) for each in sums], rel=1e-5)


def test_models_of_one_vocabulary_are_compared_window_by_window(generators, tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(TEXT)
    report = GenerationEvaluation(data=(str(path),), samples=40).measured(generators)
    one, other = report.systems.values()
    [versus] = report.versus
    gap = other.bits_per_character.value - one.bits_per_character.value
    assert versus.found.difference == pytest.approx(gap)
    assert [(stretch.first, stretch.last) for stretch in one.by_place] == [
        (1, 1),
        (2, 2),
        (3, 4),
        (5, 7),
    ]
    assert math.isclose(one.windows.score().value, one.bits_per_character.value, rel_tol=1e-9)
    told = report.to_json()
    assert len(told["models"]) == 2 and told["versus"][0]["bits per character"]["p_value"] > 0


def test_models_that_read_other_windows_are_not_compared(generators, tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(TEXT)
    generators["other"].context = 5
    test = GenerationEvaluation(data=(str(path),), samples=4)
    assert test.measured(generators).versus == ()
