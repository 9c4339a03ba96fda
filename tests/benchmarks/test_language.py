"""Races of language models: turns, marks and units."""

import pytest
import torch
from torch import nn

from benchmarks.language.novels import hidden_tokens, next_token, scaled
from benchmarks.language.plain import PlainGPT, batch
from benchmarks.language.plain_bert import PlainBert
from benchmarks.language.race import Contender, half_wave, raced


def contender(name, rate=0.1):
    model = nn.Linear(2, 1)
    x = torch.randn(7, 2)

    def loss():
        return model(x).square().mean()

    return Contender(name, model, loss, lambda: loss().item(), rate)


def test_everybody_is_measured_at_every_mark():
    curves = raced([contender("a"), contender("b")], minutes=0.004, points=3)
    for points in curves.values():
        assert [point.minutes for point in points] == pytest.approx([0.004 / 3, 0.008 / 3, 0.004])
        counts = [point.updates for point in points]
        assert counts == sorted(counts) and counts[0] > 0
        assert points[-1].value < points[0].value


def test_the_rate_warms_up_and_comes_down():
    assert half_wave(0.01, 1.0) == pytest.approx(0.5)
    assert half_wave(0.02, 1.0) == pytest.approx(1.0, abs=0.01)
    assert half_wave(1.0, 1.0) == pytest.approx(0.05)


def test_a_value_in_another_unit_is_the_same_times_a_factor():
    one = contender("a")
    assert scaled(one, 3.0).value() == pytest.approx(3 * one.value())


def test_plain_models_learn_from_what_stands_before_or_around():
    model = PlainGPT(11, context=5, width=8, layers=1, heads=2).eval()
    text = torch.arange(40) % 11
    tokens, targets = batch(text, 3, 5)
    assert torch.equal(tokens[:, 1:], targets[:, :-1])
    changed = tokens.clone()
    changed[:, 4] = 0
    torch.testing.assert_close(model(tokens)[:, :4], model(changed)[:, :4])
    bert = PlainBert(11, longest=7, width=8, hidden=12, layers=1, heads=2).eval()
    lengths, places = torch.tensor([3, 5]), torch.zeros(2, 5, dtype=torch.bool)
    places[0, 1] = places[1, 4] = True
    other = tokens[:2].clone()
    other[0, 3:] = 7
    torch.testing.assert_close(bert(tokens[:2], lengths, places), bert(other, lengths, places))


@pytest.mark.parametrize("make", [next_token, hidden_tokens])
def test_contenders_are_of_the_same_size_but_for_what_differs_on_purpose(make, tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("The cat sat on the mat, and a dog ran by.\n" * 400)
    contenders, _ = make(str(path), str(path))
    sizes = [sum(p.numel() for p in one.model.parameters()) for one in contenders]
    assert 0.9 < sizes[0] / sizes[1] < 1.1
    for one in contenders:
        assert one.loss().isfinite() and 0 < one.value() < 50
