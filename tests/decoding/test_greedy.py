import pytest
import torch

from decoding.table_model import drawn
from reference import decoding as reference
from regard.decoding import Beam, Greedy, Limits, decode

BOS, EOS, PAD = 2, 3, 0
SOURCES = [[5, 6, 4, EOS], [4, EOS], [6, 6, 6, 5, 4, EOS]]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("min_length", [0, 3])
def test_greedy_writes_what_a_plain_loop_writes(seed, min_length):
    model = drawn(7, seed=seed, ending=2.0)
    limits = Limits(min_length=min_length, max_length=9)
    rules = {"bos": BOS, "eos": EOS, "longest": 9, "forbidden": (BOS, PAD)}
    tokens, finished = reference.greedy(model.table.tolist(), min_length=min_length, **rules)
    for (found,) in decode(model, SOURCES, limits=limits):
        assert list(found.tokens) == tokens
        assert found.finished == finished
        whole = [*tokens, EOS] if finished else tokens
        expected = reference.log_prob(model.table.tolist(), whole, BOS)
        assert found.log_prob == pytest.approx(expected, abs=1e-9)
        assert found.score == found.log_prob


@pytest.mark.parametrize("seed", range(5))
def test_a_beam_of_one_is_greedy_whatever_the_length_penalty(seed):
    model = drawn(7, seed=seed, ending=1.0)
    greedy = decode(model, SOURCES)
    for alpha in (0.0, 1.0, -0.5):
        beam = decode(model, SOURCES, strategy=Beam(size=1, length_penalty=alpha))
        assert [one.tokens for (one,) in beam] == [one.tokens for (one,) in greedy]
        assert [one.finished for (one,) in beam] == [one.finished for (one,) in greedy]


@pytest.mark.parametrize("strategy", [Greedy(), Beam(size=3)], ids=["greedy", "beam"])
def test_every_source_has_its_own_limit(strategy):
    model = drawn(7, seed=0, ending=-50.0)
    found = decode(model, SOURCES, strategy=strategy, limits=Limits(ratio=1.5, offset=1))
    assert [len(best.tokens) for best, *_ in found] == [7, 4, 10]
    assert not any(best.finished for best, *_ in found)


@pytest.mark.parametrize("strategy", [Greedy(), Beam(size=3)], ids=["greedy", "beam"])
def test_forbidden_tokens_are_not_written_and_keep_their_probability(strategy):
    model = drawn(7, seed=1)
    model.table[:, [PAD, BOS, 5]] += 20
    limits = Limits(forbidden=(5,), max_length=6)
    best = decode(model, SOURCES[:1], strategy=strategy, limits=limits)[0][0]
    assert not {PAD, BOS, 5} & set(best.tokens)
    whole = [*best.tokens, EOS] if best.finished else best.tokens
    expected = reference.log_prob(model.table.tolist(), whole, BOS)
    assert best.log_prob == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("strategy", [Greedy(), Beam(size=3)], ids=["greedy", "beam"])
@pytest.mark.parametrize("ending", [-50.0, 1.0], ids=["cut", "finished"])
def test_row_t_of_the_weights_is_the_step_that_wrote_token_t(strategy, ending):
    model = drawn(7, seed=2, ending=ending)
    limits = Limits(max_length=5)
    for source, (best, *_) in zip(
        SOURCES, decode(model, SOURCES, strategy=strategy, limits=limits, aligned=True), strict=True
    ):
        rows, size = len(best.tokens) + best.finished, len(source)
        expected = torch.full((rows, size), 1 / (4 * size), dtype=torch.float64)
        for row in range(rows):
            expected[row, min(row, size - 1)] += 0.75
        assert best.finished == (ending > 0)
        torch.testing.assert_close(best.weights, expected)


def test_without_being_asked_for_there_are_no_weights():
    assert decode(drawn(7, seed=2), SOURCES)[0][0].weights is None


def test_rows_at_their_end_are_left_behind():
    model = drawn(7, seed=0, ending=-50.0)
    sources = [[4, EOS]] * 6 + [[4, 5, 6, 4, 5, 6, EOS]] * 2
    decode(model, sources, limits=Limits(ratio=1, offset=1))
    assert model.rows == [8] * 3 + [2] * 5
