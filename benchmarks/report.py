"""The report on functions and modules: for people tables with goals, for programs JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from .amounts import amount, megabytes, milliseconds
from .chart import draw
from .memory import Peak
from .outcome import Outcome
from .race import Timed
from .reasons import NOT_INSTALLED, Absence, judged
from .record import document, race_json
from .results import CaseResult, CurveResult, ProbeResult, Section, SuiteReport
from .run import run
from .settings import Settings, Tell
from .tables import ABSENT, Row, grid, header, ratio_cell, remark, summary, verdict_text

SCHEMA = "regard-bench/1"
"""Name and version of the layout; the number rises when a reader would have to change."""

DISAGREES = 1e-3
"""A relative difference of answers that is worth a word."""


def measure(settings: Settings, tell: Tell) -> Outcome:
    """Run the suites, and give what the command shows."""
    report = run(settings, tell=tell)
    parts = tuple(pages(report))
    pictures = {"png": lambda: draw(report)}
    return Outcome(settings.topic, to_json(report), parts, report.verdicts, pictures=pictures)


def pages(report: SuiteReport) -> Iterator[RenderableType]:
    """The machine, then the report section by section."""
    yield header(report)
    for section in report.parts:
        yield Text(section.suite.title, style="bold underline")
        yield Text(f"{section.suite.note} Took {section.seconds:.0f} s.", style="dim")
        for group in groups(section.races):
            yield race_table(group)
        if section.curves:
            yield curve_table(section.curves)
        if section.probes:
            yield probe_table(section.probes)
        yield from remarks(section)
    yield summary(report)


def groups(races: Sequence[CaseResult]) -> Iterator[list[CaseResult]]:
    """Neighbouring races with the same title share a table."""
    for _, group in groupby(races, key=lambda result: result.race.what.title):
        yield list(group)


def race_table(results: Sequence[CaseResult]) -> Table:
    """A row per size and pass, a column per system, then the ratios with their goals."""
    names = list(dict.fromkeys(name for result in results for name in result.race.systems))
    rows: list[Row] = [
        [
            result.race.what.size,
            result.race.what.work,
            *(time_cell(result, name) for name in names),
            ratio_cell(result.comparisons),
        ]
        for result in results
    ]
    title = f"{results[0].race.what.title}: median ms ± spread"
    columns = ("B×H×N×D", "pass", *names)
    return grid(title, columns, rows, last="ratio, goal and verdict", names=2)


def time_cell(result: CaseResult, name: str) -> str:
    """``11.7 ± 2 %``, or a dash for who was not there."""
    samples = result.samples.get(name)
    return ABSENT if samples is None else f"{milliseconds(samples.median)} ± {samples.spread:.0%}"


def curve_table(results: Sequence[CurveResult]) -> Table:
    """A row per curve: the values, the exponent, the exponent of the last doubling."""
    columns = ("mechanism", "pass", "quantity", "system", "values", "last two")
    rows: list[Row] = [
        [
            result.curve.cases[0].title,
            result.curve.cases[0].work,
            result.curve.quantity,
            result.curve.system,
            curve_values(result),
            ABSENT if result.last is None else f"{result.last:.2f}",
            verdict_text(result.curve.goal, judged(result.exponent, result.absent), ""),
        ]
        for result in results
    ]
    return grid("Growth with N", columns, rows, last="exponent, goal and verdict", names=5)


def curve_values(result: CurveResult) -> str:
    """``1024: 11.7 ms, 2048: 46.1 ms``."""
    in_time = result.curve.quantity == "time"
    shown = [value * 1e3 if in_time else megabytes(value) for value in result.values]
    unit = "ms" if in_time else "MB"
    pairs = zip(result.sizes, shown, strict=True)
    return ", ".join(f"{size}: {amount(value, unit)}" for size, value in pairs) or ABSENT


def probe_table(results: Sequence[ProbeResult]) -> Table:
    """A row per probe: memory and time, each with its goal."""
    rows: list[Row] = []
    for result in results:
        peak, timed = result.peak, result.timed
        memory = amount(megabytes(peak.bytes), "MB") if isinstance(peak, Peak) else peak.reason
        if isinstance(timed, Peak):
            seconds = ABSENT if timed.seconds is None else amount(timed.seconds, "s")
        else:
            seconds = timed.reason
        goals = [verdict_text(one.goal, one.value, one.goal.unit) for one in result.verdicts]
        rows.append([result.probe.title, memory, seconds, Text("\n").join(goals)])
    columns = ("what", "peak memory", "time")
    return grid("One call in its own process", columns, rows, last="goals and verdicts", names=3)


def remarks(section: Section) -> Iterator[Text]:
    """Who was absent and why, and who gave another answer; each said once."""
    said: dict[str, None] = {}
    for result in section.races:
        case, first = result.race.what, result.race.systems[0]
        for name, why in result.absent.items():
            said[f"{name}, {case.work}: {advised(why)}"] = None
        for name, system in result.entrants.items():
            share = system.about["disagreement"]
            if share is not None and not share <= DISAGREES:
                said[f"{name} differs by {share:.1e} from {first}: {case.label}"] = None
    for curve in section.curves:
        if curve.absent:
            said[f"{curve.curve.system}, {curve.curve.quantity}: {advised(curve.absent)}"] = None
    yield from map(remark, said)


def advised(why: str) -> str:
    """The reason, with what to do about it."""
    return f"{why}; pip install 'regard[bench]'" if why == NOT_INSTALLED else why


def to_json(report: SuiteReport) -> dict[str, Any]:
    """Everything in ``report``, as dicts, lists, strings and numbers."""
    systems = {
        name: {"note": note, "installed": installed}
        for name, (note, installed) in report.ground.items()
    }
    suites = [section_json(section) for section in report.parts]
    return document(report, SCHEMA, systems=systems, suites=suites)


def section_json(section: Section) -> dict[str, Any]:
    """One suite and its numbers."""
    return {
        "name": section.suite.name,
        "title": section.suite.title,
        "note": section.suite.note,
        "seconds": section.seconds,
        "races": [race_json(result, "times", calls_json) for result in section.races],
        "curves": [curve_json(result) for result in section.curves],
        "probes": [probe_json(result) for result in section.probes],
    }


def calls_json(timed: Timed) -> dict[str, Any]:
    """Every sample, in seconds per call."""
    samples = timed.samples
    return {
        "median": samples.median,
        "spread": samples.spread,
        "seconds": list(samples.seconds),
        **timed.about,
    }


def curve_json(result: CurveResult) -> dict[str, Any]:
    """Sizes, values in seconds or bytes, exponents."""
    curve = result.curve
    return {
        "quantity": curve.quantity,
        "unit": "seconds" if curve.quantity == "time" else "bytes",
        "system": curve.system,
        "case": curve.cases[0].to_json(),
        "sizes": list(result.sizes),
        "values": list(result.values),
        "exponent": result.exponent,
        "last_exponent": result.last,
        "absent": result.absent,
        "goal": str(curve.goal) if curve.goal else None,
    }


def probe_json(result: ProbeResult) -> dict[str, Any]:
    """Memory and time of a call in its own process, or ``{"absent": why}``."""
    return {
        "title": result.probe.title,
        "system": result.probe.system,
        "case": result.probe.case.to_json(),
        **{
            name: {"absent": one.reason} if isinstance(one, Absence) else asdict(one)
            for name, one in (("peak", result.peak), ("timed", result.timed))
        },
    }
