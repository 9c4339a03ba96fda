"""The battery of sequence models: every check can fail, and says why."""

import pytest
import torch
from torch import nn

from regard.errors import CheckError, ChoiceError
from regard.models import Bahdanau, preset_config
from regard.models.rnn.bahdanau import BahdanauState
from regard.testing import SEQ2SEQ_CHECKS, check_seq2seq

SIZES = {"embedding_dim": 5, "hidden_dim": 8, "attention_dim": 7, "readout_dim": 9}


def made(kind=Bahdanau):
    config = preset_config("bahdanau-small", source_vocab=11, target_vocab=13)
    torch.manual_seed(0)
    return kind(config.model_copy(update=SIZES))


class Random(Bahdanau):
    def forward(self, *batch):
        return super().forward(*batch) + torch.rand(())


class OtherSteps(Bahdanau):
    def step(self, tokens, state):
        logits, state = super().step(tokens, state)
        return logits + 1, state


class LooksBefore(Bahdanau):
    def start(self, source, lengths):
        state = super().start(source, lengths)
        return state._replace(weights=torch.zeros(source.shape))


class Features(Bahdanau):
    """Features that are changed on the way."""

    def decode_parallel(self, source, lengths, target, *, aligned=False):
        found = super().decode_parallel(source, lengths, target, aligned=aligned)
        return found._replace(features=self.changed(found.features, source, target))


class Mixed(Features):
    def changed(self, features, source, target):
        return features + features.mean(dim=0)


class CountsColumns(Features):
    def changed(self, features, source, target):
        return features * source.shape[1]


class ReadsPadding(Features):
    def changed(self, features, source, target):
        return features + source[:, 5, None, None]


class LooksAhead(Features):
    def changed(self, features, source, target):
        return features + features.flip(1)


class Deaf(Features):
    def changed(self, features, source, target):
        return torch.zeros_like(features)


class Weights(Bahdanau):
    """Weights that are changed on the way."""

    def decode_parallel(self, source, lengths, target, *, aligned=False):
        found = super().decode_parallel(source, lengths, target, aligned=True)
        return found._replace(weights=self.weighed(found.weights) if aligned else None)


class Negative(Weights):
    def weighed(self, weights):
        return -weights


class OnPadding(Weights):
    def weighed(self, weights):
        return weights + 0.1


class Always(Weights):
    def decode_parallel(self, source, lengths, target, *, aligned=False):
        return Bahdanau.decode_parallel(self, source, lengths, target, aligned=True)


class Stuck(BahdanauState):
    def reorder(self, rows):
        own = torch.arange(len(rows)) % len(self.hidden)
        return Stuck(*super().reorder(own))

    def joined(self, other):
        return Stuck(*BahdanauState(*other).joined(BahdanauState(*self)))


class StuckStates(Bahdanau):
    def start(self, source, lengths):
        return Stuck(*super().start(source, lengths))

    def step(self, tokens, state):
        logits, after = super().step(tokens, state)
        return logits, Stuck(*after)


class Forgetful(Bahdanau):
    def step(self, tokens, state):
        logits, after = super().step(tokens, state)
        state.hidden.zero_()
        return logits, after


class Idle(Bahdanau):
    def __init__(self, config):
        super().__init__(config)
        self.idle = nn.Parameter(torch.ones(3))


BROKEN = [
    (Random, "determinism", "two calls with the same inputs differ by"),
    (OtherSteps, "steps", "logits of steps and of the parallel pass differ by 1"),
    (LooksBefore, "steps", "before the first step, last_weights needs to be None"),
    (Mixed, "batch", "logits of source 0 alone and in the batch differ"),
    (CountsColumns, "padding", "logits with and without more padding differ"),
    (ReadsPadding, "padding", "logits with other tokens in the padding differ"),
    (LooksAhead, "causality", "logits before changed tokens differ"),
    (Deaf, "causality", "the logits at target position 1 do not depend on its token"),
    (Negative, "weights", "a weight is less than 0"),
    (OnPadding, "weights", "padding has a weight"),
    (Always, "weights", "shows weights only with aligned=True"),
    (StuckStates, "reorder", "logits behind a reordered state differ"),
    (StuckStates, "joined", "logits behind a joined state differ"),
    (Forgetful, "going_back", "logits behind a state that others went on from differ"),
    (Idle, "gradient", "idle gets no gradient"),
]

pytestmark = pytest.mark.usefixtures("without_shape_checks")


def test_a_model_that_keeps_its_promises_passes():
    model = made()
    before = [parameter.clone() for parameter in model.parameters()]
    report = check_seq2seq(model)
    assert [result.name for result in report] == list(SEQ2SEQ_CHECKS)
    assert report.summary == "10 passed"
    assert model.training
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))


@pytest.mark.parametrize(("kind", "check", "why"), BROKEN, ids=[k.__name__ for k, *_ in BROKEN])
def test_a_broken_promise_is_named(kind, check, why):
    with pytest.raises(CheckError, match=f"fails the check {check!r}: .*{why}"):
        check_seq2seq(made(kind), only=[check])


def test_every_check_has_been_seen_to_fail():
    assert {check for _, check, _ in BROKEN} == set(SEQ2SEQ_CHECKS)


def test_an_unknown_check_is_refused():
    with pytest.raises(ChoiceError, match=r"unknown check 'step'\. Known: determinism, steps"):
        check_seq2seq(made(), only=["step"])
