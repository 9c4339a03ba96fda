from typing import NamedTuple

import pytest
import torch
from pydantic import ValidationError

from decoding.table_model import drawn
from regard.decoding import BatchLimit, Beam, Greedy, Limits, decode, decode_iter
from regard.errors import RangeError
from regard.models import build

SOURCES = [[4, 3], [5, 6, 4, 3], [7, 3], [4, 4, 4, 4, 4, 3], [5, 3]]


@pytest.mark.parametrize("strategy", [Greedy(), Beam(size=3, n_best=2)], ids=["greedy", "beam"])
@pytest.mark.parametrize(
    "batch",
    [BatchLimit(sentences=2), BatchLimit(tokens=7), BatchLimit(ahead=3), BatchLimit(tokens=1)],
    ids=["sentences", "tokens", "ahead", "one"],
)
def test_answers_come_in_the_order_of_the_sources_whatever_the_batches(strategy, batch):
    model = drawn(9, seed=3)
    expected = [decode(model, [source], strategy=strategy)[0] for source in SOURCES]
    assert decode(model, SOURCES, strategy=strategy, batch=batch) == expected


def test_no_sources_have_no_answers():
    assert decode(drawn(9, seed=3), []) == []


def test_answers_are_yielded_as_they_are_found_and_every_source_once():
    model = drawn(9, seed=3, ending=-90)
    limits = Limits(ratio=1, offset=0)
    numbers = [number for number, _ in decode_iter(model, SOURCES, limits=limits)]
    assert sorted(numbers) == [0, 1, 2, 3, 4]
    assert numbers[-1] == 3


def test_sources_that_never_end_are_answered_as_they_come():
    def endless():
        while True:
            yield [4, 3]

    answers = decode_iter(drawn(9, seed=3), endless(), batch=BatchLimit(ahead=2))
    assert [next(answers)[0] for _ in range(5)] == [0, 1, 2, 3, 4]


def test_a_source_without_tokens_is_named():
    with pytest.raises(RangeError, match="at least one token, its end, got none in source 1"):
        decode(drawn(9, seed=3), [[3], [], [3]])


def test_logits_that_are_no_numbers_are_refused():
    model = drawn(9, seed=3)
    model.table[:] = torch.nan
    for strategy in (Greedy(), Beam(size=2)):
        with pytest.raises(RangeError, match="needs logits that are numbers, got NaN"):
            decode(model, [[4, 3]], strategy=strategy, limits=Limits(max_length=4))


def test_limits_that_leave_no_length_are_refused():
    with pytest.raises(ValidationError, match="min_length needs to be at most max_length, 3"):
        Limits(min_length=4, max_length=3)


def test_the_model_is_left_as_it_was_between_answers_and_behind_them():
    model = build("transformer-tiny", source_vocab=9, target_vocab=9, model_dim=8, hidden_dim=8)
    model.train()
    model.encoder[0].eval()
    before = {name: module.training for name, module in model.named_modules()}
    for _, found in decode_iter(model, SOURCES, aligned=True, limits=Limits(max_length=3)):
        assert {name: module.training for name, module in model.named_modules()} == before
        assert torch.is_grad_enabled()
        assert not torch.is_inference_mode_enabled()
        assert not found[0].weights.is_inference()


def test_nothing_is_dropped():
    model = build("transformer-tiny", source_vocab=9, target_vocab=9, dropout=0.9).train()
    once, again = (decode(model, SOURCES, limits=Limits(max_length=4)) for _ in range(2))
    assert once == again


@pytest.mark.parametrize(
    "unknown",
    [{"eos": 9}, {"pad": 12}, {"limits": Limits(forbidden=(9,))}],
    ids=["eos", "pad", "forbidden"],
)
def test_a_token_that_the_model_does_not_have_is_refused(unknown):
    with pytest.raises(RangeError, match="among the model's 9 target tokens, 0 to 8, got"):
        decode(drawn(9, seed=3), [[4, 3]], **unknown)


def test_something_must_be_left_to_write():
    with pytest.raises(RangeError, match="needs a token that may be written, got 5"):
        decode(drawn(5, seed=3), [[3]], limits=Limits(forbidden=(1, 4)))


class Counting(NamedTuple):
    """A state that knows of each row how many tokens it still writes."""

    left: torch.Tensor

    def reorder(self, rows):
        return Counting(self.left[rows])


class Joining(Counting):
    def reorder(self, rows):
        return Joining(self.left[rows])

    def joined(self, other):
        return Joining(torch.cat([self.left, other.left]))


class Apart(Joining):
    def reorder(self, rows):
        return Apart(self.left[rows])

    def joined(self, other):
        return None


class Countdown:
    """Writes token 5 as often as the first token of a source says, then the end."""

    def __init__(self, state):
        self.state, self.rows, self.starts = state, [], []

    def start(self, source, source_lengths):
        self.starts.append(len(source))
        return self.state(source[:, 0])

    def step(self, tokens, state):
        self.rows.append(len(tokens))
        logits = torch.zeros(len(tokens), 9)
        logits[:, 5] = 1
        logits[state.left == 0, 3] = 2
        return logits, type(state)(state.left - 1)

    def last_weights(self, state):
        return None


@pytest.mark.parametrize("state", [Counting, Joining, Apart])
@pytest.mark.parametrize("strategy", [Greedy(), Beam(size=2)], ids=["greedy", "beam"])
def test_everyone_is_answered_whoever_goes_together(state, strategy, monkeypatch):
    monkeypatch.setattr("regard.decoding.run.WORTH_JOINING", 1 / 2)
    lengths = [3, 11, 1, 4, 10, 2, 6, 5, 1]
    model = Countdown(state)
    found = decode(
        model,
        [[length, 3] for length in lengths],
        strategy=strategy,
        batch=BatchLimit(sentences=4),
    )
    assert [one[0].tokens for one in found] == [(5,) * length for length in lengths]


def test_sentences_come_in_as_others_leave():
    sources = [[12, 3], *[[1, 3]] * 21]
    apart, together = Countdown(Counting), Countdown(Joining)
    for model in (apart, together):
        decode(model, sources, batch=BatchLimit(sentences=8))
    assert apart.starts == [8, 8, 6]
    assert together.starts == [8, 7, 7]
    assert len(together.rows) < len(apart.rows)
    assert max(together.rows) == 8


def test_a_state_that_has_been_started_in_vain_is_gone_on_with():
    model = Countdown(Apart)
    decode(model, [[12, 3], *[[1, 3]] * 9], batch=BatchLimit(sentences=8))
    assert model.starts == [8, 2]


def test_who_comes_in_keeps_within_the_tokens_of_a_batch():
    long, short = [9, 4, 4, 4, 4, 3], [1, 3]
    model = Countdown(Joining)
    decode(model, [long, *[short] * 21], batch=BatchLimit(sentences=20, tokens=48))
    assert model.starts == [8, 7, 7] and max(model.rows) == 8
