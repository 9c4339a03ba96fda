"""What was measured of functions and modules, as plain values, and the verdicts on it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .amounts import megabytes
from .case import Case
from .goals import Verdict
from .memory import Peak
from .plans import Curve, Probe, Suite
from .race import RaceResult, Report, Timed
from .reasons import Absence, judged

CaseResult = RaceResult[Case, Timed]


@dataclass(frozen=True)
class CurveResult:
    """A quantity at several N: seconds or bytes.

    Args:
        curve: what was asked.
        sizes: the N that could be measured.
        values: the quantity at each.
        exponent: by least squares over all; None with fewer than two sizes.
        last: between the two largest.
        absent: why a size is missing, if one is.
    """

    curve: Curve
    sizes: tuple[int, ...]
    values: tuple[float, ...]
    exponent: float | None
    last: float | None
    absent: str | None = None

    @property
    def label(self) -> str:
        """One line on a growth exponent."""
        curve, case = self.curve, self.curve.cases[0]
        growth = f"{curve.quantity} of {curve.system} grows with N to the power"
        return f"{case.title}, {case.work}: {growth}"


@dataclass(frozen=True)
class ProbeResult:
    """Memory and time of one call in its own process."""

    probe: Probe
    peak: Peak | Absence
    timed: Peak | Absence

    @property
    def verdicts(self) -> Iterator[Verdict]:
        """Memory first, then time."""
        probe, peak, timed = self.probe, self.peak, self.timed
        if probe.peak:
            value = megabytes(peak.bytes) if isinstance(peak, Peak) else judged(None, peak.reason)
            yield Verdict(f"{probe.title}, peak memory", probe.peak, value)
        if probe.seconds:
            value = timed.seconds if isinstance(timed, Peak) else judged(None, timed.reason)
            yield Verdict(f"{probe.title}, time", probe.seconds, value)


@dataclass(frozen=True)
class Section:
    """A suite and everything measured for it."""

    suite: Suite
    races: tuple[CaseResult, ...]
    curves: tuple[CurveResult, ...]
    probes: tuple[ProbeResult, ...]
    seconds: float

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The goals, in the order of the tables."""
        return (
            *(verdict for result in self.races for verdict in result.verdicts),
            *(
                Verdict(one.label, one.curve.goal, judged(one.exponent, one.absent))
                for one in self.curves
                if one.curve.goal
            ),
            *(verdict for result in self.probes for verdict in result.verdicts),
        )


SuiteReport = Report[Section, Mapping[str, tuple[str, bool]]]
"""Its ground: every system's note, and whether it is installed."""
