import math
from dataclasses import replace

import pytest
import torch

from benchmarks import in_process as race_module
from benchmarks.case import Case
from benchmarks.goals import at_least, at_most
from benchmarks.in_process import run_race
from benchmarks.peers.system import System
from benchmarks.race import Duel, Race, compare
from benchmarks.timing import Effort, Samples

ONCE = Effort(seconds=0.0, fewest=1, most=1)


@pytest.fixture
def log(monkeypatch):
    """Four small systems: two that work, one not installed, one that breaks."""
    calls: list[str] = []

    def system(name, factor=1.0, module=None, error=None):
        def build(case, inputs):
            def forward():
                calls.append(name)
                if error:
                    raise error
                return inputs.query * factor

            return forward

        return System(name, "for a test", {"softmax": build}, module=module)

    systems = [
        system("a"),
        system("b", factor=1.5),
        system("gone", module="no_such_module_anywhere"),
        system("broken", error=NotImplementedError("Not on CPU. Use another device.")),
    ]
    monkeypatch.setattr(race_module, "SYSTEMS", {system.name: system for system in systems})
    monkeypatch.setattr(race_module, "loops_for", lambda seconds: 1)
    return calls


def test_all_are_warmed_up_before_the_rounds_and_then_run_in_turn(log):
    case = Case("softmax", (2, 3, 5, 7))
    result = run_race(Race(case, ("a", "b")), effort=ONCE, repeats=3)
    assert log[:4] == ["a", "b", "a", "b"]
    assert [set(log[i : i + 2]) for i in (4, 6, 8)] == 3 * [{"a", "b"}]
    assert len(log) == 10
    assert [len(samples.seconds) for samples in result.samples.values()] == [3, 3]


@pytest.mark.parametrize(
    ("bound", "rounds"), [(0.2, 2), (1.0, 8), (5.0, 2)], ids=["missed", "doubtful", "met"]
)
def test_rounds_go_on_while_a_goal_is_in_doubt_and_time_is_left(log, monkeypatch, bound, rounds):
    taken = {"a": Samples((1.0, 2.0)), "b": Samples((2.0, 1.0))}  # the ratios are 0.5 and 2
    monkeypatch.setattr(race_module, "interleave", lambda steps, rounds, loops: taken)
    moments = iter(range(9))
    monkeypatch.setattr(race_module.time, "perf_counter", lambda: next(moments))
    race = Race(Case("softmax", (2, 3, 5, 7)), ("a", "b"), (Duel("a", ("b",), "slowdown"),))
    judged = replace(race, duels=(replace(race.duels[0], goal=at_most(bound)),))
    monkeypatch.setattr(race_module, "time_once", lambda step: 1.0)
    effort = Effort(seconds=0.0, fewest=2, most=2, longest=4.0)
    assert len(run_race(judged, effort=effort).samples["a"].seconds) == rounds
    assert len(run_race(race, effort=effort).samples["a"].seconds) == 2  # nothing is claimed
    assert len(run_race(judged, effort=effort, repeats=2).samples["a"].seconds) == 2


def test_who_is_not_installed_or_breaks_is_reported_and_the_others_run(log):
    race = Race(
        Case("softmax", (2, 3, 5, 7)),
        ("a", "gone", "broken", "b"),
        (Duel("a", ("gone",), goal=at_least(2.0)), Duel("a", ("broken", "b"))),
    )
    result = run_race(race, effort=ONCE)
    assert result.absent == {
        "gone": "not installed",
        "broken": "NotImplementedError: Not on CPU.",
    }
    assert list(result.samples) == ["a", "b"]
    missing, present = result.comparisons
    assert missing.value is None and missing.peer is None
    assert present.peer == "b" and present.value > 0


def test_a_mechanism_nobody_knows_leaves_an_empty_race(log):
    result = run_race(Race(Case("telepathy", (2, 3, 5, 7)), ("a", "b")), effort=ONCE)
    assert result.absent == {"a": "has no telepathy", "b": "has no telepathy"}
    assert result.samples == {}


@pytest.mark.parametrize("backward", [False, True])
def test_disagreement_is_the_largest_relative_difference(log, backward):
    case = Case("softmax", (2, 3, 5, 7), backward=backward)
    result = run_race(Race(case, ("a", "b")), effort=ONCE)
    apart = {name: timed.about["disagreement"] for name, timed in result.entrants.items()}
    assert apart == {"a": None, "b": pytest.approx(0.5)}


def test_gradients_are_gone_after_each_call(log):
    from benchmarks.inputs import make_inputs
    from benchmarks.step import prepare

    case = Case("softmax", (2, 3, 5, 7), backward=True)
    inputs = make_inputs(case)
    step = prepare(race_module.SYSTEMS["a"], case, inputs)
    context, *gradients = step.answer()
    assert torch.equal(context, inputs.query.detach())
    assert len(gradients) == 1 and torch.equal(gradients[0], inputs.upstream)
    step()
    assert inputs.query.grad is None


def test_the_fastest_peer_by_median_counts():
    samples = {
        "ours": Samples((2.0, 2.0, 4.0)),
        "slow": Samples((1.0, 9.0, 9.0)),
        "fast": Samples((4.0, 6.0, 4.0)),
    }
    speedup = compare(Duel("ours", ("slow", "fast")), samples, {})
    assert (speedup.peer, speedup.value, speedup.of_medians) == ("fast", 2.0, 2.0)
    slowdown = compare(Duel("ours", ("slow", "fast"), "slowdown"), samples, {})
    assert (slowdown.peer, slowdown.value, slowdown.of_medians) == ("fast", 0.5, 0.5)


def test_overhead_is_a_difference_in_microseconds():
    samples = {"ours": Samples((9e-6, 7e-6, 9e-6)), "sdpa": Samples((2e-6, 3e-6, 4e-6))}
    found = compare(Duel("ours", ("sdpa",), "overhead"), samples, {})
    assert found.value == pytest.approx(5.0)  # of 7, 4 and 5
    assert found.of_medians == pytest.approx(6.0)


def test_what_breaks_on_our_side_fails_its_goal_and_what_is_not_installed_does_not(log):
    duel = Duel("broken", ("a",), goal=at_least(2.0))
    broke = compare(duel, {"a": Samples((1.0,))}, {"broken": "ValueError: no"})
    assert math.isnan(broke.value)
    assert compare(duel, {"a": Samples((1.0,))}, {"broken": "not installed"}).value is None
