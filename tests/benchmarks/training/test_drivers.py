"""The drivers that need nothing but torch and regard, called as functions."""

from functools import partial

import pytest
import torch

from benchmarks.training.drivers import loop, ours, plain
from benchmarks.training.drivers.text import Padded, padded, pairs, vocabulary

ARCHITECTURES = ["gru", "transformer"]


@pytest.fixture
def batch(folder):
    return padded(pairs(folder, vocabulary(folder))[:3])


def exact(architecture):
    """A plain model that drops nothing, in the mode it is measured in."""
    model = plain.make(architecture, 10).train()
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    return model


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_plain_models_do_not_see_padding(batch, architecture):
    model = exact(architecture)
    logits = model(batch)
    assert logits.shape == (3, 4, 10)
    wider = Padded(torch.nn.functional.pad(batch.source, (0, 2)), batch.target_in, batch.target_out)
    torch.testing.assert_close(model(wider), logits, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_plain_models_do_not_see_later_tokens(batch, architecture):
    model = exact(architecture)
    later = batch.target_in.clone()
    later[:, 2:] = 9
    before, after = model(batch), model(batch._replace(target_in=later))
    torch.testing.assert_close(before[:, :2], after[:, :2], atol=1e-4, rtol=1e-4)
    assert not torch.allclose(before[:, 2:], after[:, 2:])


def test_the_loss_counts_tokens_and_not_padding(batch):
    logits = torch.zeros(3, 4, 10)
    even = loop.loss(logits, batch)
    assert even.item() == pytest.approx(2.302585, abs=1e-5)  # log 10, however smoothed
    logits[batch.target_out == 0] = torch.arange(10.0)
    assert loop.loss(logits, batch).item() == pytest.approx(even.item())


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_everybody_trains_a_model_of_about_one_size(trained, architecture):
    theirs = trained(partial(loop.train, make=plain.make), architecture)
    mine = trained(ours.train, architecture)
    for about, turn in (theirs, mine):
        assert about["versions"]["torch"] == torch.__version__
        assert turn["updates"] == 1 and turn["seconds"] > 0
        assert 0 < turn["target_tokens"] <= turn["padded"] <= 12
    sizes = [answers[0]["parameters"] for answers in (theirs, mine)]
    assert max(sizes) / min(sizes) < 1.25


def test_our_updates_change_the_model(trained, monkeypatch):
    made = []
    build = ours.model_of

    def kept(architecture, vocab):
        made.append(build(architecture, vocab))
        return made[0]

    monkeypatch.setattr(ours, "model_of", kept)
    torch.manual_seed(0)
    before = build("transformer", 10).state_dict()
    trained(ours.train, "transformer", orders="go 0\ngo 0\n")
    after = made[0].state_dict()
    assert any(not torch.equal(before[name], after[name]) for name in before)


def test_our_batches_hold_every_pair_of_the_files(folder):
    corpus = ours.corpus(pairs(folder, vocabulary(folder)))
    assert len(corpus) == 5
    assert corpus.source.row(2).tolist() == [5, 5, 5]
    assert corpus.target.row(1).tolist() == [7, 8, 9]
    assert corpus.steps.tolist() == [3, 4, 4, 3, 6]
    assert not corpus.gold.any()
