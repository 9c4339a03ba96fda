import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from decoding.table_model import TableModel, drawn
from reference import decoding as reference
from regard.decoding import Beam, Limits, decode
from regard.errors import ChoiceError

BOS, EOS, PAD = 2, 3, 0
SOURCE = [4, 5, EOS]
RULES = {"bos": BOS, "eos": EOS, "forbidden": (BOS, PAD)}


def compare(found, expected, count):
    """The ``count`` best of what is expected; of equal ones any."""
    known = {tokens: (score, log_prob) for score, log_prob, tokens in expected}
    assert len({one.tokens for one in found}) == len(found) == min(count, len(expected))
    assert [one.score for one in found] == pytest.approx(
        [score for score, _, _ in expected[:count]]
    )
    for one in found:
        assert (one.score, one.log_prob) == pytest.approx(known[one.tokens], abs=1e-9)


@pytest.mark.parametrize("alpha", [0.0, 0.6, 1.5, -1.0])
@pytest.mark.parametrize("seed", range(3))
def test_a_beam_as_wide_as_everything_finds_the_best_of_all_sentences(seed, alpha):
    model = drawn(6, seed=seed)
    table = model.table.tolist()
    expected = reference.exhaustive(table, alpha=alpha, longest=5, **RULES)
    beam = Beam(size=len(expected), n_best=7, length_penalty=alpha)
    (found,) = decode(model, [SOURCE], strategy=beam, limits=Limits(max_length=5))
    compare(found, expected, 7)


@settings(max_examples=25)
@given(
    seed=st.integers(0, 999),
    size=st.integers(1, 4),
    alpha=st.sampled_from([0.0, 0.6, 1.0, 2.0, -0.5]),
    ending=st.floats(-2, 3),
)
def test_stopping_early_loses_nothing(seed, size, alpha, ending):
    model = drawn(7, seed=seed, ending=ending)
    table = model.table.tolist()
    expected = reference.beam(table, size=size, alpha=alpha, longest=8, **RULES)
    beam = Beam(size=size, n_best=1, length_penalty=alpha)
    (found,) = decode(model, [SOURCE], strategy=beam, limits=Limits(max_length=8))
    compare(found, expected, 1)


def test_a_sentence_stops_when_nothing_open_can_win():
    table = torch.zeros(7, 7, dtype=torch.float64)
    table[:, EOS] = 9
    model = TableModel(table)
    decode(model, [SOURCE], strategy=Beam(size=4), limits=Limits(max_length=50, ratio=50))
    assert len(model.rows) == 1


@settings(max_examples=25)
@given(
    seed=st.integers(0, 999),
    size=st.sampled_from([4, 6]),
    groups=st.sampled_from([1, 2]),
    lengths=st.lists(st.integers(1, 6), min_size=1, max_size=5),
)
def test_answers_are_sorted_unlike_each_other_and_within_the_limits(seed, size, groups, lengths):
    model = drawn(8, seed=seed)
    sources = [[4] * (length - 1) + [EOS] for length in lengths]
    limits = Limits(min_length=2, max_length=7, ratio=1.5, offset=1)
    beam = Beam(size=size, n_best=size, groups=groups, length_penalty=0.8)
    for source, found in zip(
        sources, decode(model, sources, strategy=beam, limits=limits), strict=True
    ):
        scores = [one.score for one in found]
        assert scores == sorted(scores, reverse=True)
        assert len({one.tokens for one in found}) == len(found)
        assert groups > 1 or len(found) == size
        for one in found:
            assert 2 <= len(one.tokens) <= max(2, min(7, int(1.5 * len(source)) + 1))


@settings(max_examples=25)
@given(seed=st.integers(0, 999), groups=st.sampled_from([1, 3]))
def test_a_source_gets_the_same_answers_alone_and_among_others(seed, groups):
    model = drawn(9, seed=seed, ending=1.0)
    sources = [[4, EOS], [4, 5, 6, 4, 5, EOS], [7, 8, EOS], [EOS]]
    beam = Beam(size=6, n_best=4, groups=groups, length_penalty=0.6, coverage_penalty=0.3)
    together = decode(model, sources, strategy=beam, limits=Limits(max_length=9))
    for source, found in zip(sources, together, strict=True):
        (alone,) = decode(model, [source], strategy=beam, limits=Limits(max_length=9))
        assert [one.tokens for one in alone] == [one.tokens for one in found]
        assert [one.score for one in alone] == pytest.approx([one.score for one in found])


@settings(max_examples=60)
@given(
    seed=st.integers(0, 999),
    groups=st.integers(1, 4),
    each=st.integers(1, 3),
    n_best=st.integers(1, 12),
    diversity=st.sampled_from([0.0, 0.3, 0.7, 2.0]),
    alpha=st.sampled_from([0.0, 0.8, -0.5]),
    ending=st.sampled_from([-90.0, 0.0, 1.5]),
)
def test_groups_keep_off_the_tokens_of_those_before_them(
    seed, groups, each, n_best, diversity, alpha, ending
):
    model = drawn(9, seed=seed, ending=ending)
    expected = reference.diverse(
        model.table.tolist(),
        groups=groups,
        each=each,
        longest=5,
        diversity=diversity,
        alpha=alpha,
        **RULES,
    )
    n_best = min(n_best, groups * each)
    beam = Beam(
        size=groups * each,
        groups=groups,
        diversity=diversity,
        n_best=n_best,
        length_penalty=alpha,
    )
    (found,) = decode(model, [SOURCE], strategy=beam, limits=Limits(max_length=5))
    compare(found, expected, n_best)


def test_what_a_group_that_ends_throws_away_pushes_nobody():
    """The first group ends at once; its second best, 5, goes nowhere and is free for the next."""
    table = torch.full((9, 9), -50.0, dtype=torch.float64)
    table[BOS, [EOS, 5, 6]] = torch.tensor([0.6, 0.25, 0.15]).double().log()
    table[5, EOS] = table[6, EOS] = 0
    beam = Beam(size=2, groups=2, n_best=2, diversity=1.0)
    (found,) = decode(TableModel(table), [SOURCE], strategy=beam)
    assert [one.tokens for one in found] == [(), (5,)]


def test_an_end_pushes_those_behind_it_off_the_end():
    table = torch.full((9, 9), -50.0, dtype=torch.float64)
    table[BOS, [EOS, 5]] = torch.tensor([0.6, 0.4]).double().log()
    table[5, EOS] = 0
    for diversity, expected in ((0.3, [()]), (0.5, [(), (5,)])):
        beam = Beam(size=2, groups=2, n_best=2, diversity=diversity)
        (found,) = decode(TableModel(table), [SOURCE], strategy=beam)
        assert [one.tokens for one in found] == expected


def test_the_coverage_penalty_is_that_of_the_weights():
    model = drawn(7, seed=4, ending=1.0)
    source = [4, 5, 6, 4, EOS]
    beam = Beam(size=4, n_best=4, coverage_penalty=0.4, length_penalty=0.5)
    (found,) = decode(model, [source, [EOS]], strategy=beam, aligned=True)[:1]
    for one in found:
        length = len(one.tokens) + one.finished
        expected = one.log_prob / reference.length_penalty(length, 0.5)
        expected += reference.coverage_penalty(one.weights.T.tolist(), 0.4)
        assert one.score == pytest.approx(expected, abs=1e-9)


def test_a_coverage_penalty_needs_a_model_that_looks():
    model = drawn(7, seed=0)
    model.last_weights = lambda state: None
    with pytest.raises(ChoiceError, match="a coverage penalty needs a model that looks"):
        decode(model, [SOURCE], strategy=Beam(coverage_penalty=0.1))


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"size": 3, "n_best": 4}, "n_best needs to be at most the size of the beam, 3, got 4"),
        ({"size": 5, "groups": 2}, "groups needs to divide the size of the beam, 5, got 2"),
        ({"size": 1001}, "less than or equal to 1000"),
        ({"length_penalty": 1e308}, "less than or equal to 10"),
        ({"length_penalty": -1e308}, "greater than or equal to -10"),
        ({"coverage_penalty": 1e308}, "less than or equal to 100"),
        ({"diversity": 1e308}, "less than or equal to 1000"),
        ({"length_penalty": float("nan")}, "length_penalty"),
        ({"coverage_penalty": float("nan")}, "coverage_penalty"),
        ({"diversity": float("nan")}, "diversity"),
    ],
)
def test_a_beam_that_cannot_be_is_refused(choices, message):
    with pytest.raises(ValidationError, match=message):
        Beam(**choices)


@pytest.mark.parametrize(
    "choices",
    [
        {"length_penalty": 10.0},
        {"length_penalty": -10.0},
        {"coverage_penalty": 100.0},
        {"groups": 2, "diversity": 1000.0},
    ],
    ids=repr,
)
def test_the_largest_penalties_leave_scores_finite_and_in_order(choices):
    beam = Beam(size=4, n_best=4, **choices)
    limits = Limits(max_length=60, ratio=1000)
    (found,) = decode(drawn(7, seed=5, ending=-6.0), [SOURCE], strategy=beam, limits=limits)
    scores = [one.score for one in found]
    assert all(map(math.isfinite, scores))
    assert scores == sorted(scores, reverse=True)


def test_a_wide_beam_takes_fewer_sentences_at_once():
    model = drawn(40, seed=2, ending=-1.0)
    beam = Beam(size=1000, n_best=3)
    sources = [[4 + i % 9, EOS] for i in range(11)]
    found = decode(model, sources, strategy=beam, limits=Limits(max_length=4))
    assert max(model.rows) == 4000
    (alone,) = decode(model, sources[-1:], strategy=beam, limits=Limits(max_length=4))
    assert [one.tokens for one in found[-1]] == [one.tokens for one in alone]


def test_what_the_limit_cut_stands_where_its_score_says():
    table = torch.full((7, 7), -30.0, dtype=torch.float64)
    table[BOS, [4, 5]] = torch.tensor([0.02, 0.98]).double().log()
    table[4, EOS] = table[5, 5] = 0
    beam = Beam(size=2, n_best=2)
    (found,) = decode(TableModel(table), [SOURCE], strategy=beam, limits=Limits(max_length=3))
    assert [(one.tokens, one.finished) for one in found] == [((5, 5, 5), False), ((4,), True)]
    assert [one.score for one in found] == pytest.approx([math.log(0.98), math.log(0.02)])


def test_what_can_still_win_by_its_length_is_waited_for():
    table = torch.full((12, 12), -30.0, dtype=torch.float64)
    table[BOS, [EOS, 4, 10, 11]] = torch.tensor([0.368, 0.223, 0.205, 0.204]).double().log()
    for before, after in [(4, 5), (5, 6), (6, 7), (7, 8), (8, EOS), (10, 10), (11, 11)]:
        table[before, after] = 0
    beam = Beam(size=2, length_penalty=2.0)
    (found,) = decode(TableModel(table), [SOURCE], strategy=beam, limits=Limits(max_length=9))
    assert found[0].tokens == (4, 5, 6, 7, 8)
