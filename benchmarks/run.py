"""Run the suites of a topic and gather the report."""

import time

import torch

from .case import Case
from .curve import memory_curve, time_curve
from .in_process import run_race
from .machine import here, load_average
from .memory import Peak, in_child
from .peers import SYSTEMS
from .plans import Curve, Probe, Suite
from .race import Report
from .reasons import Absence
from .results import CaseResult, CurveResult, ProbeResult, Section, SuiteReport
from .settings import Settings, Tell
from .suites import TOPICS
from .timing import Effort

FULL = Effort(seconds=6.0, fewest=7, most=200, longest=20.0)
QUICK = Effort(seconds=1.0, fewest=3, most=60, longest=8.0)


def chosen_suites(settings: Settings) -> tuple[Suite, ...]:
    """The suites asked for, in their usual order.

    Raises:
        ChoiceError: there is no suite of such a name.
        RangeError: fewer than one thread or repeat.
    """
    suites = {make.__name__: make for make in TOPICS[settings.topic]}
    return tuple(make(settings.quick) for make in settings.choose("suite", suites))


def run(
    settings: Settings, *, command: str | None = None, tell: Tell = lambda _: None
) -> SuiteReport:
    """Measure everything asked for.

    Args:
        settings: what to measure, and how long.
        command: the command to state in the report; by default the one of this process.
        tell: called with a line about each piece of work before it starts.
    """
    suites = chosen_suites(settings)
    machine = here(settings.threads, command)
    threads_before = torch.get_num_threads()
    torch.set_num_threads(settings.threads)
    try:
        sections = tuple(run_suite(suite, settings, tell) for suite in suites)
    finally:
        torch.set_num_threads(threads_before)
    return Report(
        machine=machine,
        settings=settings,
        parts=sections,
        ground={name: (system.note, system.available()) for name, system in SYSTEMS.items()},
        load_at_end=load_average(),
    )


def run_suite(suite: Suite, settings: Settings, tell: Tell) -> Section:
    """Races first; the curves of time come out of them."""
    start = time.perf_counter()
    races = run_races(suite, settings, tell)
    curves = tuple(run_curve(suite, curve, races, settings, tell) for curve in suite.curves)
    probes = tuple(run_probe(suite, probe, settings, tell) for probe in suite.probes)
    return Section(suite, races, curves, probes, time.perf_counter() - start)


def run_races(suite: Suite, settings: Settings, tell: Tell) -> tuple[CaseResult, ...]:
    """All races of a suite, one after the other."""
    effort = QUICK if settings.quick else FULL
    results = []
    for number, race in enumerate(suite.races, 1):
        tell(f"{suite.name}: race {number} of {len(suite.races)}: {race.what.label}")
        results.append(run_race(race, effort=effort, repeats=settings.repeats))
    return tuple(results)


def run_curve(
    suite: Suite,
    curve: Curve,
    races: tuple[CaseResult, ...],
    settings: Settings,
    tell: Tell,
) -> CurveResult:
    """A curve of time from ``races``, or one of memory from child processes."""
    if curve.quantity == "time":
        return time_curve(curve, races)

    def peak(system: str, case: Case) -> Peak | Absence:
        tell(f"{suite.name}: memory of {system}, {case.label}")
        return in_child(system, case, threads=settings.threads, repeats=0)

    return memory_curve(curve, peak)


def run_probe(suite: Suite, probe: Probe, settings: Settings, tell: Tell) -> ProbeResult:
    """Memory in one process, time in another whose allocator is left alone."""
    tell(f"{suite.name}: {probe.title}")
    system, case, threads = probe.system, probe.case, settings.threads
    repeats = settings.repeats or 3
    return ProbeResult(
        probe=probe,
        peak=in_child(system, case, threads=threads, repeats=0),
        timed=in_child(system, case, threads=threads, repeats=repeats, quantity="seconds"),
    )
