"""Every model through every strategy: a source alone is a source among others."""

import pytest
import torch

from models.rnn.tiny import EVERY, made
from models.transformer.sentences import tiny
from regard.decoding import BatchLimit, Beam, Greedy, Limits, Sample, decode
from regard.models import build, presets
from regard.models.build import preset_sizes

pytestmark = pytest.mark.usefixtures("without_shape_checks")

SOURCES = [[4, 7, 5, 3], [6, 3], [9, 8, 7, 6, 5, 4, 3], [5, 3], [8, 8, 3], [10, 4, 9, 3], [7, 3]]
STRATEGIES = {
    "greedy": Greedy(),
    "beam": Beam(size=3, n_best=2, length_penalty=0.6),
    "sample": Sample(n=2),
}
TRANSFORMERS = {
    "plain": {},
    "post": {"norm": "post"},
    "learned": {"position": "learned"},
    "rotary": {"position": "rotary"},
    "alibi": {"position": "alibi"},
    "grouped": {"num_key_heads": 1},
    "sparsemax": {"normalise": "sparsemax"},
}
LIMITS = Limits(ratio=1.3, offset=0)
"""Short sources are answered shortly, so that sentences leave one after the other."""


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """Sentences come in, in batches as small as these."""
    monkeypatch.setattr("regard.decoding.run.WORTH_JOINING", 1 / 2)


def alone_as_together(model, strategy):
    some = {"strategy": strategy, "limits": LIMITS, "aligned": True}
    together = decode(model, SOURCES, **some, batch=BatchLimit(sentences=3))
    for source, found in zip(SOURCES, together, strict=True):
        (alone,) = decode(model, [source], **some)
        assert [one.tokens for one in alone] == [one.tokens for one in found]
        for one, other in zip(alone, found, strict=True):
            assert one.score == pytest.approx(other.score, abs=1e-4)
            assert (one.weights is None) == (other.weights is None)
            if one.weights is not None:
                assert one.weights.shape == (len(one.tokens) + one.finished, len(source))
                torch.testing.assert_close(one.weights, other.weights, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("name", EVERY)
def test_a_recurrent_model_answers_the_same_alone_and_among_others(name):
    alone_as_together(made(name), STRATEGIES["beam"])


@pytest.mark.parametrize("name", ["bahdanau maxout", "lstm plain"])
@pytest.mark.parametrize("strategy", ["greedy", "sample"])
def test_so_it_does_by_other_strategies(name, strategy):
    alone_as_together(made(name), STRATEGIES[strategy])


@pytest.mark.parametrize("name", TRANSFORMERS)
@pytest.mark.parametrize("strategy", ["greedy", "beam"])
def test_a_transformer_answers_the_same_alone_and_among_others(name, strategy):
    alone_as_together(tiny(**TRANSFORMERS[name]), STRATEGIES[strategy])


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in presets
        if ("tiny" in name or "small" in name) and "source_vocab" in preset_sizes(name)
    ],
)
def test_presets_answer_the_same_in_single_precision(name):
    model = build(name, source_vocab=11, target_vocab=13)
    alone_as_together(model, STRATEGIES["beam"])


@pytest.mark.parametrize("strategy", ["greedy", "beam"])
def test_log_probs_are_those_of_the_full_pass(strategy):
    model = tiny()
    for source, found in zip(
        SOURCES, decode(model, SOURCES, strategy=STRATEGIES[strategy], limits=LIMITS), strict=True
    ):
        for one in found:
            whole = [2, *one.tokens, *([3] if one.finished else [])]
            target = torch.tensor([whole])
            logits = model(torch.tensor([source]), torch.tensor([len(source)]), target[:, :-1])
            log_probs = logits.log_softmax(-1).gather(-1, target[:, 1:, None]).sum()
            assert one.log_prob == pytest.approx(log_probs.item(), abs=1e-9)
