import pytest

from benchmarks.case import Case
from benchmarks.curve import memory_curve, time_curve
from benchmarks.memory import Peak
from benchmarks.plans import Curve
from benchmarks.race import Race, RaceResult, called
from benchmarks.reasons import Absence
from benchmarks.timing import Samples

CASES = tuple(Case("softmax", (1, 1, n, 8)) for n in (256, 512, 1024))


def raced(case: Case, seconds: float) -> RaceResult:
    return RaceResult(Race(case, ("a", "b")), {"a": called(Samples((seconds,)))}, {"b": "gone"})


def test_time_is_taken_from_the_races():
    races = [raced(case, seconds) for case, seconds in zip(CASES, (1.0, 4.0, 16.0), strict=True)]
    result = time_curve(Curve("time", "a", CASES), races)
    assert result.sizes == (256, 512, 1024)
    assert result.values == (1.0, 4.0, 16.0)
    assert result.exponent == pytest.approx(2.0)


def test_a_system_that_was_absent_has_no_exponent_and_says_why():
    races = [raced(case, 1.0) for case in CASES]
    result = time_curve(Curve("time", "b", CASES), races)
    assert (result.sizes, result.exponent, result.last, result.absent) == ((), None, None, "gone")


def test_memory_is_asked_for_and_fitted_over_what_could_be_measured():
    sizes = {256: 1_000_000, 512: 2_000_000}

    def peak(system, case):
        if case.positions not in sizes:
            return Absence("no answer within 600 s")
        return Peak(sizes[case.positions], 0, 0, None, "VmHWM")

    result = memory_curve(Curve("memory", "a", CASES), peak)
    assert result.values == (1e6, 2e6)
    assert result.exponent == pytest.approx(1.0)
    assert result.absent == "no answer within 600 s"


def test_memory_too_small_to_measure_does_not_grow():
    result = memory_curve(Curve("memory", "a", CASES), lambda *_: Peak(0, 0, 0, None, "VmHWM"))
    assert result.exponent == pytest.approx(0.0)
