import gc
from itertools import chain
from math import log
from random import Random

import pytest

from benchmarks import timing
from benchmarks.timing import (
    Effort,
    Samples,
    differences,
    interleave,
    joined,
    loops_for,
    middle,
    quiet_collector,
    ratio_of_medians,
    ratios,
    time_once,
)


@pytest.fixture
def in_turn(monkeypatch):
    """Every round in the order the calls were given in."""
    monkeypatch.setattr(timing, "orders", lambda names, rounds: [names] * rounds)


def test_every_round_calls_everybody_once():
    log = []
    calls = {name: (lambda name=name: log.append(name)) for name in "abc"}
    interleave(calls, rounds=7)
    rounds = ["".join(log[i : i + 3]) for i in range(0, 21, 3)]
    assert {"".join(sorted(names)) for names in rounds} == {"abc"}
    assert len(set(rounds)) > 1


def test_the_orders_of_the_rounds_are_the_same_in_every_run():
    assert timing.orders(list("abcde"), 5) == timing.orders(list("abcde"), 5)


def test_loops_repeat_a_fast_call_within_its_own_sample(in_turn):
    log = []
    calls = {name: (lambda name=name: log.append(name)) for name in "ab"}
    interleave(calls, rounds=2, loops={"a": 3})
    assert "".join(log) == "aaabaaab"


def test_each_call_gets_the_seconds_of_its_own_samples(in_turn):
    # start and stop of a, of b, of a, of b
    moments = chain([0.0, 1.0], [1.0, 5.0], [5.0, 7.0], [7.0, 13.0])
    calls = {"a": lambda: None, "b": lambda: None}
    samples = interleave(calls, rounds=2, loops={"b": 2}, clock=lambda: next(moments))
    assert samples == {"a": Samples((1.0, 2.0)), "b": Samples((2.0, 3.0))}


def test_time_once_is_per_call():
    moments = iter([10.0, 16.0])
    assert time_once(lambda: None, loops=3, clock=lambda: next(moments)) == 2.0


def test_median_and_spread_of_five_samples():
    samples = Samples((5.0, 1.0, 3.0, 2.0, 4.0))
    assert samples.median == 3.0
    assert samples.spread == pytest.approx((4.0 - 2.0) / 3.0)


def test_one_sample_has_no_spread():
    assert Samples((7.0,)).spread == 0.0


def test_ratios_and_differences_are_those_of_the_rounds():
    above, below = Samples((2.0, 9.0, 4.0)), Samples((1.0, 3.0, 8.0))
    assert ratios(above, below) == [2.0, 3.0, 0.5]
    assert ratio_of_medians(above, below) == pytest.approx(4.0 / 3.0)
    assert differences(above, below) == [1.0, 6.0, -4.0]


@pytest.mark.parametrize("count", [6, 9, 25, 60])
def test_the_median_of_all_lies_between_two_of_a_few_nineteen_times_of_twenty(count):
    random = Random(count)
    drawn = ([random.expovariate(1.0) for _ in range(count)] for _ in range(2000))
    hits = sum(low <= log(2) <= high for low, high in map(middle, drawn))
    assert 0.93 < hits / 2000 < 0.985


def test_few_values_lie_between_the_least_and_the_greatest():
    assert middle([3.0]) == (3.0, 3.0)
    assert middle([5.0, 1.0, 4.0]) == (1.0, 5.0)


def test_the_rounds_of_two_stretches_follow_one_another():
    first, then = {"a": Samples((1.0, 2.0))}, {"a": Samples((3.0,))}
    assert joined(first, then) == {"a": Samples((1.0, 2.0, 3.0))}


def test_samples_of_unequal_length_are_never_compared():
    with pytest.raises(ValueError, match="shorter"):
        ratios(Samples((1.0, 2.0)), Samples((1.0,)))


@pytest.mark.parametrize(
    ("seconds", "loops"),
    [(0.002, 1), (0.001, 1), (0.0004, 3), (0.0002, 5), (0.0, 2000), (1e-9, 2000)],
)
def test_a_sample_lasts_a_millisecond_or_two_thousand_calls(seconds, loops):
    assert loops_for(seconds) == loops


@pytest.mark.parametrize(("seconds", "rounds"), [(0.1, 20), (0.001, 60), (1.0, 3), (0.0, 60)])
def test_effort_keeps_to_its_time_between_fewest_and_most(seconds, rounds):
    assert Effort(seconds=2.0, fewest=3, most=60).rounds(seconds) == rounds


def test_the_collector_is_off_inside_and_on_again_after_an_error():
    with pytest.raises(KeyError), quiet_collector():
        assert not gc.isenabled()
        raise KeyError
    assert gc.isenabled()
