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


def compare(found, expected):
    assert [one.tokens for one in found] == [tokens for _, _, tokens in expected]
    for one, (score, log_prob, _) in zip(found, expected, strict=True):
        assert one.score == pytest.approx(score, abs=1e-9)
        assert one.log_prob == pytest.approx(log_prob, abs=1e-9)


@pytest.mark.parametrize("alpha", [0.0, 0.6, 1.5, -1.0])
@pytest.mark.parametrize("seed", range(3))
def test_a_beam_as_wide_as_everything_finds_the_best_of_all_sentences(seed, alpha):
    model = drawn(6, seed=seed)
    table = model.table.tolist()
    expected = reference.exhaustive(table, alpha=alpha, longest=5, **RULES)
    beam = Beam(size=len(expected) + 81, n_best=7, length_penalty=alpha)
    (found,) = decode(model, [SOURCE], strategy=beam, limits=Limits(max_length=5))
    compare(found, expected[:7])


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
    if expected:
        compare(found, expected[:1])
    else:
        assert not found[0].finished


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
        order = [(not one.finished, -one.score) for one in found]
        assert order == sorted(order)
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


@pytest.mark.parametrize("seed", range(4))
def test_groups_keep_off_the_tokens_of_those_before_them(seed):
    model = drawn(9, seed=seed, ending=-90.0)
    groups = reference.diverse(
        model.table.tolist(), groups=3, each=2, steps=4, diversity=0.7, **RULES
    )
    expected = sorted({pair for group in groups for pair in group}, reverse=True)
    beam = Beam(size=6, groups=3, diversity=0.7, n_best=6)
    (found,) = decode(model, [SOURCE], strategy=beam, limits=Limits(max_length=4))
    assert [one.tokens for one in found] == [tokens for _, tokens in expected]
    assert [one.log_prob for one in found] == pytest.approx([total for total, _ in expected])


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
    model.looked = lambda state: None
    with pytest.raises(ChoiceError, match="a coverage penalty needs a model that looks"):
        decode(model, [SOURCE], strategy=Beam(coverage_penalty=0.1))


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"size": 3, "n_best": 4}, "n_best needs to be at most the size of the beam, 3, got 4"),
        ({"size": 5, "groups": 2}, "groups needs to divide the size of the beam, 5, got 2"),
    ],
    ids=["n_best", "groups"],
)
def test_a_beam_that_cannot_be_is_refused(choices, message):
    with pytest.raises(ValidationError, match=message):
        Beam(**choices)


def test_what_can_still_win_by_its_length_is_waited_for():
    table = torch.full((12, 12), -30.0, dtype=torch.float64)
    table[BOS, [EOS, 4, 10, 11]] = torch.tensor([0.368, 0.223, 0.205, 0.204]).double().log()
    for before, after in [(4, 5), (5, 6), (6, 7), (7, 8), (8, EOS), (10, 10), (11, 11)]:
        table[before, after] = 0
    beam = Beam(size=2, length_penalty=2.0)
    (found,) = decode(TableModel(table), [SOURCE], strategy=beam, limits=Limits(max_length=9))
    assert found[0].tokens == (4, 5, 6, 7, 8)
