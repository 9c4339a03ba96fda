"""Growth with N: time from the races that were run, memory from child processes."""

from collections.abc import Callable, Sequence

from .case import Case
from .growth import exponent, last_exponent
from .memory import FLOOR, Peak
from .plans import Curve
from .reasons import Absence
from .results import CaseResult, CurveResult

Reading = float | Absence


def time_curve(curve: Curve, races: Sequence[CaseResult]) -> CurveResult:
    """Medians of the races on the curve's cases, in seconds."""
    known = {result.race.what: result for result in races}

    def reading(case: Case) -> Reading:
        result = known.get(case)
        if result is None:
            return Absence("no race was run at this size")
        if curve.system in result.samples:
            return result.samples[curve.system].median
        return Absence(result.absent.get(curve.system, "not in the race"))

    return fit(curve, reading)


def memory_curve(curve: Curve, peak: Callable[[str, Case], Peak | Absence]) -> CurveResult:
    """Peaks of the curve's cases, in bytes."""

    def reading(case: Case) -> Reading:
        found = peak(curve.system, case)
        return found if isinstance(found, Absence) else float(found.bytes)

    return fit(curve, reading, floor=FLOOR)


def fit(curve: Curve, reading: Callable[[Case], Reading], floor: float = 0.0) -> CurveResult:
    """The readings of all cases that gave one, and their exponent."""
    sizes, values, absent = [], [], None
    for case in curve.cases:
        found = reading(case)
        if isinstance(found, Absence):
            absent = found.reason
            continue
        sizes.append(case.positions)
        values.append(found)
    enough = len(sizes) >= 2
    return CurveResult(
        curve=curve,
        sizes=tuple(sizes),
        values=tuple(values),
        exponent=exponent(sizes, values, floor) if enough else None,
        last=last_exponent(sizes, values, floor) if enough else None,
        absent=absent,
    )
