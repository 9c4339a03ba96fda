"""What was measured, as plain values, and the verdicts on it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from .amounts import megabytes
from .goals import Goal
from .machine import Machine
from .memory import Peak
from .plans import Curve, Duel, Probe, Race, Suite
from .reasons import Absence, judged
from .timing import Samples

State = Literal["met", "missed", "unmeasured"]


@dataclass(frozen=True)
class Verdict:
    """One goal and what came of it."""

    what: str
    goal: Goal
    value: float | None

    @property
    def state(self) -> State:
        """Met, missed, or unmeasured because somebody is not installed or cannot do it."""
        if self.value is None:
            return "unmeasured"
        return "met" if self.goal.met(self.value) else "missed"


@dataclass(frozen=True)
class Comparison:
    """The outcome of a duel.

    Args:
        duel: what was compared.
        peer: the peer that counted: the fastest of those present.
        value: from the rounds: the median of what each round gives; NaN if ours broke.
        of_medians: the same from the two medians.
    """

    duel: Duel
    peer: str | None = None
    value: float | None = None
    of_medians: float | None = None


@dataclass(frozen=True)
class RaceResult:
    """The times of a race.

    Args:
        race: what was run.
        samples: per system present.
        loops: calls within one sample, per system present.
        absent: why a system is not in ``samples``.
        disagreement: largest relative difference of each system's answer to the first one's.
        comparisons: the outcome of each duel.
    """

    race: Race
    samples: dict[str, Samples]
    loops: dict[str, int]
    absent: dict[str, str]
    disagreement: dict[str, float]
    comparisons: tuple[Comparison, ...]


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


@dataclass(frozen=True)
class ProbeResult:
    """Memory and time of one call in its own process."""

    probe: Probe
    peak: Peak | Absence
    timed: Peak | Absence


@dataclass(frozen=True)
class Section:
    """A suite and everything measured for it."""

    suite: Suite
    races: tuple[RaceResult, ...]
    curves: tuple[CurveResult, ...]
    probes: tuple[ProbeResult, ...]
    seconds: float


@dataclass(frozen=True)
class Settings:
    """What the user asked for.

    Args:
        topic: which suites there are to choose from.
        quick: fewer sizes and rounds.
        only: names of suites; empty for all.
        repeats: rounds per race; None lets the speed decide.
        threads: of torch, and so of everybody.
    """

    topic: str = "kernels"
    quick: bool = False
    only: tuple[str, ...] = ()
    repeats: int | None = None
    threads: int = 2


@dataclass(frozen=True)
class Report:
    """A whole run."""

    machine: Machine
    settings: Settings
    systems: dict[str, tuple[str, bool]]
    sections: tuple[Section, ...]
    load_at_end: tuple[float, float, float]

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """All goals of all sections."""
        return tuple(verdict for section in self.sections for verdict in verdicts(section))

    @property
    def summary(self) -> str:
        """How many goals were met, in one line."""
        return summarised(self.verdicts)


def summarised(verdicts: Sequence[Verdict]) -> str:
    """How many goals were met, in one line."""
    states = [verdict.state for verdict in verdicts]
    judged = states.count("met") + states.count("missed")
    line = f"goals met: {states.count('met')} of {judged}"
    unmeasured = states.count("unmeasured")
    return f"{line} ({unmeasured} not measured)" if unmeasured else line


def compared(comparisons: Sequence[Comparison], what: str) -> Iterator[Verdict]:
    """The goals of one race, with a line on ``what`` was raced and by whom."""
    for comparison in comparisons:
        duel = comparison.duel
        if duel.goal:
            peers = comparison.peer or " / ".join(duel.peers)
            yield Verdict(f"{what}: {duel.ours} against {peers}", duel.goal, comparison.value)


def verdicts(section: Section) -> Iterator[Verdict]:
    """The goals of one section, in the order of its tables."""
    for result in section.races:
        case = result.race.case
        yield from compared(result.comparisons, f"{case.title} {case.size}, {case.work}")
    for curve in section.curves:
        if curve.curve.goal:
            value = judged(curve.exponent, curve.absent)
            yield Verdict(describe_curve(curve.curve), curve.curve.goal, value)
    for probe in section.probes:
        yield from probe_verdicts(probe)


def probe_verdicts(result: ProbeResult) -> Iterator[Verdict]:
    """Memory first, then time."""
    probe = result.probe
    if probe.peak:
        found = result.peak
        value = megabytes(found.bytes) if isinstance(found, Peak) else judged(None, found.reason)
        yield Verdict(f"{probe.title}, peak memory", probe.peak, value)
    if probe.seconds:
        timed = result.timed
        value = timed.seconds if isinstance(timed, Peak) else judged(None, timed.reason)
        yield Verdict(f"{probe.title}, time", probe.seconds, value)


def describe_curve(curve: Curve) -> str:
    """One line on a growth exponent."""
    case = curve.cases[0]
    return (
        f"{case.title}, {case.work}: {curve.quantity} of {curve.system} grows with N to the power"
    )
